#pragma once

#include <sys/socket.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace exportd::sql {

// Cuts a connection that is silent for too long, from a thread of its own: libpqxx waits for
// ever. After that the waiting call fails like one whose server has gone.
class watchdog {
public:
    using clock = std::chrono::steady_clock;

    watchdog() : thread_{[this](const std::stop_token& done) { watch(done); }} {}

    // The socket is that of the connection which is waited for until disarm().
    void arm(int socket, std::optional<clock::time_point> until) {
        const std::lock_guard lock{guard_};
        socket_ = socket;
        until_ = until;
        changed_.notify_all();
    }
    void disarm() { arm(no_socket, std::nullopt); }

    void limit(clock::time_point until) {
        const std::lock_guard lock{guard_};
        if (socket_ == no_socket) return;
        if (!until_ || until < *until_) until_ = until;
        changed_.notify_all();
    }

private:
    static constexpr int no_socket = -1;

    void watch(const std::stop_token& done) {
        std::unique_lock lock{guard_};
        while (!done.stop_requested()) {
            if (!until_) {
                changed_.wait(lock, done, [this] { return until_.has_value(); });
            } else if (const auto until = *until_; clock::now() < until) {
                // Woken early or not, the time is looked at again.
                changed_.wait_until(lock, done, until, [&] { return until_ != until; });
            } else {
                // The descriptor stays the connection's; whoever waits on it sees its end.
                ::shutdown(socket_, SHUT_RDWR);
                until_.reset();
            }
        }
    }

    std::mutex guard_;
    std::condition_variable_any changed_;
    int socket_ = no_socket;
    std::optional<clock::time_point> until_;
    std::jthread thread_;  // last: it uses what stands above
};

}  // namespace exportd::sql
