#pragma once

#include <exportd/observe/delay_histogram.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace exportd::observe {

struct delay_summary {
    std::chrono::microseconds p50{0};
    std::chrono::microseconds p99{0};
    std::chrono::microseconds max{0};
    std::chrono::microseconds mean{0};
    std::uint64_t samples = 0;
};

// Turns the ticks of a periodic timer into the delay of the loop that it runs on. Knows no clock:
// every time is passed in, none earlier than the one before.
//
// A tick that comes late by d stands for all the ticks that were due meanwhile: the delays d,
// d - resolution, d - 2 * resolution and so on are counted, so that a stall weighs what it lasts
// and percentiles do not hide it.
class delay_window {
public:
    using clock = std::chrono::steady_clock;

    // The summary looks back this far, in steps of a second.
    static constexpr std::chrono::seconds length{10};

    // `resolution` is the time between ticks, over 0.
    explicit delay_window(std::chrono::microseconds resolution) : resolution_{resolution} {}

    // A tick that was due at `due` ran at `now`.
    void tick(clock::time_point due, clock::time_point now) noexcept;

    // The ticks of the 9 to 10 seconds before `now`.
    delay_summary summary(clock::time_point now) const noexcept;

    // All ticks ever; grows only.
    const delay_histogram& total() const noexcept { return total_; }

private:
    struct slot {
        std::int64_t second = -1;  // of the clock
        delay_histogram delays;
    };

    static std::int64_t second_of(clock::time_point time) noexcept;

    std::chrono::microseconds resolution_;
    std::array<slot, static_cast<std::size_t>(length.count())> slots_{};
    delay_histogram total_;
};

}  // namespace exportd::observe
