#pragma once

#include <chrono>

namespace exportd::observe {

// Which share of the time a loop is busy, from its busy time so far, in slots of a second. Knows
// no clock: every time is passed in, none earlier than the one before. Not thread-safe.
class utilisation_window {
public:
    using clock = std::chrono::steady_clock;

    static constexpr std::chrono::seconds slot{1};

    // `busy`: since some start, the same one in every call. Slots end at samples, so these come
    // more often than the slots; a gap between two that is longer is a slot of its own.
    void sample(clock::time_point now, std::chrono::nanoseconds busy) noexcept;

    // 0 to 1: of the last slot that is full; of the time since the last sample once that is longer
    // than a slot, as during a stall. 0 before the first full slot.
    double ratio(clock::time_point now, std::chrono::nanoseconds busy) const noexcept;

private:
    struct point {
        clock::time_point at{};
        std::chrono::nanoseconds busy{0};
    };

    static double share(const point& from, const point& to) noexcept;
    // Where the slot begins that is full at `now`, or null.
    const point* full_slot(clock::time_point now) const noexcept;

    bool started_ = false;
    point begun_;    // of the running slot
    point sampled_;  // last
    double last_ = 0;
};

}  // namespace exportd::observe
