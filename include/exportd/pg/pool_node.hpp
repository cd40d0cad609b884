#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace exportd::pg {

// The pool's state and its rules: how many connections there are in which state, who waits,
// when to connect again. Does no I/O and holds no connection; its owner acts on the answers.
class pool_node {
public:
    using time_point = std::chrono::steady_clock::time_point;
    using waiter = std::uint64_t;

    struct limits {
        std::size_t size = 4;
        std::chrono::milliseconds first_backoff{100};
        std::chrono::milliseconds longest_backoff{5000};
    };

    enum class answer {
        lease_idle,   // take one of the idle connections; it counts as leased now
        wait,         // `id` is queued
        unavailable,  // the last connect failed, the next try is not due and nothing is open
        shutting_down,
    };
    struct acquired {
        answer what;
        waiter id = 0;
    };

    // Where a usable connection goes.
    enum class place { idle, waiter, close };
    struct placed {
        place where;
        waiter id = 0;  // who gets it, when `where` is waiter; it counts as leased
    };

    explicit pool_node(limits l);

    acquired acquire(time_point now);
    // A waiter that gave up; no effect when it was served or failed meanwhile.
    void forget(waiter id);

    // Keeps at least so many connections open, within the size.
    void want(std::size_t connections) noexcept;
    // How many connects to start now; they count as connecting.
    std::size_t start_connects(time_point now);
    // When start_connects() is worth another call though nothing happened.
    std::optional<time_point> retry_at() const;
    placed connected();
    // `jitter` from 0 to 1 takes up to half off the pause. Returns the waiters that fail
    // because nothing is open that they could wait for.
    std::vector<waiter> connect_failed(time_point now, double jitter);

    placed returned();           // a lease ended, its connection is clean
    void dropped();              // a lease ended, its connection is closed
    void idle_lost();            // an idle connection is closed
    std::vector<waiter> shut();  // from now on nothing is opened; returns all waiters, who fail

    std::size_t idle() const noexcept { return idle_; }
    std::size_t leased() const noexcept { return leased_; }
    std::size_t connecting() const noexcept { return connecting_; }
    std::size_t waiting() const noexcept { return waiters_.size(); }
    std::size_t size() const noexcept { return limits_.size; }
    bool failing() const noexcept { return failures_ > 0; }
    bool shut_down() const noexcept { return shut_; }
    // The pause after the last failed connect.
    std::chrono::milliseconds backoff() const noexcept { return backoff_; }

private:
    placed place_one();
    std::vector<waiter> take_waiters();
    std::size_t missing() const noexcept;

    limits limits_;
    std::deque<waiter> waiters_;
    waiter last_id_ = 0;
    std::size_t idle_ = 0;
    std::size_t leased_ = 0;
    std::size_t connecting_ = 0;
    std::size_t wanted_ = 0;
    std::size_t failures_ = 0;
    std::chrono::milliseconds backoff_{0};
    time_point retry_{};
    bool shut_ = false;
};

}  // namespace exportd::pg
