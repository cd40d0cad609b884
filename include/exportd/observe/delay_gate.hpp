#pragma once

#include <chrono>
#include <optional>

namespace exportd::observe {

// Tells a delay that stays high from one that only looks up and down: it turns high once the
// delay has been over one level for some time without a break, and normal once it has been under
// a lower one for as long. Knows no clock: every time is passed in, none earlier than the one
// before. Not thread-safe.
class delay_gate {
public:
    using clock = std::chrono::steady_clock;

    struct limits {
        std::chrono::microseconds enter{500'000};
        std::chrono::microseconds leave{250'000};  // at most `enter`
        clock::duration sustain = std::chrono::seconds{5};
    };

    explicit delay_gate(limits l) noexcept : limits_{l} {}

    // The delay as it is now. Returns whether this has changed high().
    bool update(clock::time_point now, std::chrono::microseconds delay) noexcept;

    bool high() const noexcept { return high_; }

private:
    limits limits_;
    bool high_ = false;
    std::optional<clock::time_point> beyond_since_;
};

}  // namespace exportd::observe
