#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace exportd::observe {

// Measures the turns of a loop: a turn is one handler, from its begin to its end, with whatever
// it runs inside. Fed by the hook in asio_tracking.hpp on the loop's thread, which is the thread
// for all members but read() and route(): those are for any thread and hold up nobody.
//
// A turn costs two readings of the clock and some 70 instructions.
class turn_meter {
public:
    using clock = std::chrono::steady_clock;

    // Called with a turn that took `limit` or longer and its route (null: none), at the turn's
    // end. Doesn't throw.
    using on_slow_turn = std::function<void(const std::string* route, clock::duration took)>;

    explicit turn_meter(clock::duration limit = clock::duration::max(), on_slow_turn slow = {})
        : limit_{limit}, slow_{std::move(slow)} {}

    turn_meter(const turn_meter&) = delete;
    turn_meter& operator=(const turn_meter&) = delete;

    // A handler begins or ends. Within a turn further ones are part of it; an end without its
    // begin is none.
    void begin() noexcept { begin(woken_ > ended_ ? woken_ : clock::now()); }
    void end() noexcept { end(clock::now()); }
    void begin(clock::time_point now) noexcept;
    void end(clock::time_point now) noexcept;

    // The loop has found something to do and is not waiting any more: reading a socket before its
    // handler runs is work, too.
    void wake() noexcept;
    void wake(clock::time_point now) noexcept;

    // The running turn works for this route, until it ends or another one is set. The text is a
    // route's template, never input, and lives as long as the meter.
    void work_for(const std::string& route) noexcept;

    struct reading {
        std::chrono::nanoseconds busy{0};  // the running turn's time so far included
        std::chrono::nanoseconds turn{0};  // of the running turn so far; 0 between turns
        std::uint64_t turns = 0;           // that have ended
    };
    // Since the meter was made; grows only, as long as `now` does.
    reading read(clock::time_point now) const noexcept;

    // The route that the running turn works for, or null.
    const std::string* route() const noexcept { return route_.load(std::memory_order_relaxed); }

private:
    void publish(clock::rep busy, clock::rep since, std::uint64_t turns) noexcept;

    // What the loop spends between two handlers without waiting is shorter than this.
    static constexpr std::chrono::microseconds longest_step{20};

    clock::duration limit_;
    on_slow_turn slow_;
    unsigned depth_ = 0;
    clock::time_point begun_{};
    clock::time_point ended_{};
    clock::time_point woken_{};

    // Written together: `version_` is odd while that happens.
    std::atomic<std::uint32_t> version_{0};
    std::atomic<clock::rep> busy_{0};   // of turns that have ended
    std::atomic<clock::rep> since_{0};  // when the running turn began; 0 between turns
    std::atomic<std::uint64_t> turns_{0};
    std::atomic<const std::string*> route_{nullptr};
};

}  // namespace exportd::observe
