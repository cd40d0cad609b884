#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace exportd::observe {

// Writes lines to a descriptor that it does not own and that others may share (so it is not made
// non-blocking). For any thread; those that write() have SIGPIPE blocked or ignored, and wait for
// each other, so that no line gets into another.
class line_writer {
public:
    using clock = std::chrono::steady_clock;

    explicit line_writer(int fd) : fd_{fd} {}
    line_writer(const line_writer&) = delete;
    line_writer& operator=(const line_writer&) = delete;

    // Waits until the descriptor took the whole line, or until give_up_at()'s time. False, and
    // counted as lost, if it did not.
    bool write(std::string_view line) noexcept;

    // From `deadline` on, no write waits any more, one that is waiting now included (it notices
    // within 0.1 s).
    void give_up_at(clock::time_point deadline) noexcept {
        deadline_ = deadline.time_since_epoch().count();
    }

    std::uint64_t lost() const noexcept { return lost_; }

private:
    bool wait_writable() const noexcept;
    bool write_all(std::string_view bytes) const noexcept;

    int fd_;
    std::mutex writing_;
    std::atomic<clock::rep> deadline_{clock::time_point::max().time_since_epoch().count()};
    std::atomic<std::uint64_t> lost_{0};
};

}  // namespace exportd::observe
