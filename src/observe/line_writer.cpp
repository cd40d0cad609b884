#include <exportd/observe/line_writer.hpp>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <poll.h>
#include <unistd.h>

namespace exportd::observe {

bool line_writer::write(std::string_view line) noexcept {
    const std::lock_guard one_line{writing_};
    const bool whole = write_all(line);
    if (!whole) ++lost_;
    return whole;
}

bool line_writer::write_all(std::string_view bytes) const noexcept {
    while (!bytes.empty()) {
        if (!wait_writable()) return false;
        // A pipe that polls as writable takes PIPE_BUF bytes without blocking, but not more.
        const ssize_t written =
            ::write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR && errno != EAGAIN) {
            return false;
        }
    }
    return true;
}

bool line_writer::wait_writable() const noexcept {
    constexpr int slice_ms = 100;
    for (;;) {
        pollfd waiting{fd_, POLLOUT, 0};
        const int ready = ::poll(&waiting, 1, 0);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
        if (clock::now().time_since_epoch().count() >= deadline_) return false;
        ::poll(&waiting, 1, slice_ms);
    }
}

}  // namespace exportd::observe
