#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace exportd::exports {

// How busy the loop is that exports run on.
struct loop_load {
    std::chrono::microseconds delay_p99{0};  // of the last few seconds
    double utilisation = 0;                  // 0 to 1, of the last second or so
};

struct shedding_limits {
    std::chrono::microseconds max_delay{200'000};
    double max_utilisation = 1;  // 1: does not count
};

// Decides whether new exports are refused because the loop has no room for them. Knows no clock:
// each time is passed in, none earlier than the one before.
//
// Begins once a limit has been passed for `rise`, and ends once the load has been below `leave`
// times each limit for `calm`, so that a load around the limit does not switch it to and fro.
class load_shedder {
public:
    using time_point = std::chrono::steady_clock::time_point;

    static constexpr std::chrono::milliseconds rise{1000};
    static constexpr std::chrono::milliseconds calm{5000};
    static constexpr double leave = 0.8;

    explicit load_shedder(shedding_limits limits) : limits_{limits} {}

    // To be called a few times a second.
    void update(const loop_load& load, time_point now) noexcept;

    bool shedding() const noexcept { return shedding_; }

private:
    bool over(const loop_load& load, double part) const noexcept;

    shedding_limits limits_;
    bool shedding_ = false;
    std::optional<time_point> since_;  // the load has asked for the other state
};

}  // namespace exportd::exports
