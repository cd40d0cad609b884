#pragma once

#include <exportd/observe/delay_histogram.hpp>
#include <exportd/observe/delay_window.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace exportd::observe {

// How a loop does at one instant; see loop_monitor::health(). A stall in progress is part of all
// but `delays` and `slow_turns`, which count it once it is over.
struct loop_health {
    delay_summary window;              // of the last 10 s
    delay_histogram delays;            // since the start; grows only
    double utilisation = 0;            // 0 to 1: of the last full second, or of a longer one
    std::chrono::nanoseconds busy{0};  // since the start; grows only
    std::uint64_t turns = 0;           // handlers run since the start, the running one not
    std::chrono::nanoseconds turn{0};  // of the running handler so far; 0 between handlers
    std::string route;                 // that it works for; empty: none
    std::map<std::string, std::uint64_t> slow_turns;  // since the start, by route; "other" is none
};

// What the watchdog has seen; see loop_watchdog::stalls(). A stall is longer than [loop] stall.
struct stall_counts {
    std::uint64_t stalls = 0;             // begun since the start
    std::chrono::nanoseconds stalled{0};  // length of them all, the one in progress included
    std::chrono::nanoseconds current{0};  // length of the one in progress, else 0
};

}  // namespace exportd::observe
