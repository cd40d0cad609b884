#pragma once

#include <exportd/observe/event.hpp>
#include <exportd/observe/rate_limit.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace exportd::observe {

// Who made others wait: tells slow turns as events `slow_turn` and counts them by route. A storm
// of them is told in part only; the next event says how many were left out (`suppressed`).
class slow_turns {
public:
    using clock = std::chrono::steady_clock;

    // The observer outlives it.
    explicit slow_turns(observer& told) : told_{told} {}

    // For the loop's thread. Null: a turn that worked for no route, counted as "other".
    void add(const std::string* route, clock::duration took, clock::time_point now);

    // Since the start; for any thread. add() waits for it, which is a copy of a few numbers.
    std::map<std::string, std::uint64_t> counts() const;

private:
    observer& told_;
    rate_limit limit_{10, std::chrono::seconds{5}};
    mutable std::mutex mutex_;
    std::map<std::string, std::uint64_t> counts_;
};

}  // namespace exportd::observe
