#pragma once

#include <chrono>
#include <cstdint>

namespace exportd::observe {

// Lets so many through at once and then one for each interval, and counts the rest. Knows no
// clock: every time is passed in, none earlier than the one before. Not thread-safe.
class rate_limit {
public:
    using clock = std::chrono::steady_clock;

    // Both over 0.
    rate_limit(unsigned burst, clock::duration interval) noexcept
        : burst_{burst}, interval_{interval}, left_{burst} {}

    // Whether this one may pass.
    bool allow(clock::time_point now) noexcept;

    // How many were kept back since the last call.
    std::uint64_t take_suppressed() noexcept;

private:
    unsigned burst_;
    clock::duration interval_;
    unsigned left_;
    clock::time_point refilled_{};
    std::uint64_t suppressed_ = 0;
};

}  // namespace exportd::observe
