#include <exportd/observe/turn_meter.hpp>

#include <algorithm>

namespace exportd::observe {

using std::chrono::nanoseconds;

void turn_meter::begin(clock::time_point now) noexcept {
    if (depth_++ != 0) return;
    const bool woken = woken_ > ended_;
    begun_ = woken ? woken_ : now;
    // From the end of the one handler to the begin of the next without waiting: the loop's own
    // steps are its work.
    if (begun_ - ended_ < longest_step) begun_ = ended_;
    publish(busy_.load(std::memory_order_relaxed), begun_.time_since_epoch().count(),
            turns_.load(std::memory_order_relaxed));
}

void turn_meter::end(clock::time_point now) noexcept {
    if (depth_ == 0 || --depth_ != 0) return;
    const auto took = now - begun_;
    ended_ = now;
    publish(busy_.load(std::memory_order_relaxed) + took.count(), 0,
            turns_.load(std::memory_order_relaxed) + 1);
    const auto* route = route_.load(std::memory_order_relaxed);
    route_.store(nullptr, std::memory_order_relaxed);
    if (took >= limit_ && slow_) slow_(route, took);
}

void turn_meter::wake() noexcept {
    if (depth_ == 0) woken_ = clock::now();
}

void turn_meter::wake(clock::time_point now) noexcept {
    if (depth_ == 0) woken_ = now;
}

void turn_meter::work_for(const std::string& route) noexcept {
    if (depth_ != 0) route_.store(&route, std::memory_order_relaxed);
}

void turn_meter::publish(clock::rep busy, clock::rep since, std::uint64_t turns) noexcept {
    const auto version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    busy_.store(busy, std::memory_order_relaxed);
    since_.store(since, std::memory_order_relaxed);
    turns_.store(turns, std::memory_order_relaxed);
    version_.store(version + 2, std::memory_order_release);
}

turn_meter::reading turn_meter::read(clock::time_point now) const noexcept {
    while (true) {
        const auto before = version_.load(std::memory_order_acquire);
        const clock::duration busy{busy_.load(std::memory_order_relaxed)};
        const clock::duration since{since_.load(std::memory_order_relaxed)};
        const auto turns = turns_.load(std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (before % 2 != 0 || version_.load(std::memory_order_relaxed) != before) continue;
        const auto turn = since == clock::duration{0}
                              ? clock::duration{0}
                              : std::max(now.time_since_epoch() - since, clock::duration{0});
        return {busy + turn, turn, turns};
    }
}

}  // namespace exportd::observe
