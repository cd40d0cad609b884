#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

namespace exportd::access {

// Slows those who show wrong credentials, by address (an IPv6 one by its /64 network). Whoever
// shows right ones is not slowed. Loop thread only; does no I/O: the caller waits.
class failure_limit {
public:
    using clock = std::chrono::steady_clock;

    // The pause before the answer to this failure: nothing for the first five in ten minutes, then
    // 1, 2, 4 and 8 s. After a pause that is not zero comes delay_over().
    std::chrono::milliseconds next_delay(const std::string& address, clock::time_point now);

    void delay_over(const std::string& address) noexcept;

    // Whether so many answers to this address wait that one more should not.
    bool crowded(const std::string& address) const;

private:
    struct record {
        int failures = 0;
        int waiting = 0;
        clock::time_point last;
    };
    void make_room(clock::time_point now);

    std::map<std::string, record> seen_;
};

}  // namespace exportd::access
