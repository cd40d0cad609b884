#pragma once

#include <exportd/observe/loop_health.hpp>

#include <chrono>
#include <optional>

namespace exportd::observe {

// Finds stalls from outside: looks at when the loop last turned, and is itself looked after by
// nobody. Knows no clock: every time is passed in, none earlier than the one before. Not
// thread-safe.
class stall_watch {
public:
    using clock = std::chrono::steady_clock;

    // A stall is a time of more than `limit`, over 0, without a turn.
    explicit stall_watch(clock::duration limit) noexcept : limit_{limit} {}

    enum class change { none, begun, ended };

    // How things stand now. A watcher that has not looked for longer than the limit was kept from
    // running itself, most likely with all of the process: it lets the loop catch up first.
    change look(clock::time_point now, clock::time_point last_turn) noexcept;

    // Of the stall that ended last; up to a look too long.
    clock::duration last_length() const noexcept { return last_length_; }

    // As of the last look.
    stall_counts counts() const noexcept;

private:
    clock::duration limit_;
    clock::time_point looked_{};
    std::optional<clock::time_point> since_;  // the last turn before the stall in progress
    std::uint64_t stalls_ = 0;
    clock::duration ended_{0};
    clock::duration last_length_{0};
};

}  // namespace exportd::observe
