#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace exportd::access {

struct quota_limits {
    std::uint64_t requests_per_minute = 0;  // 0: no limit
    std::uint64_t rows_per_day = 0;         // 0: no limit; a day in UTC
    std::size_t most_callers = 10'000;      // remembered at once
};

// How much each caller has had. Per process; loop thread only; does no I/O.
class quota {
public:
    using clock = std::chrono::system_clock;

    explicit quota(quota_limits limits) : limits_{limits} {}

    struct standing {
        std::uint64_t limit = 0;
        std::uint64_t remaining = 0;
        std::chrono::seconds reset{0};  // until more is there
    };

    // Counts one request. `allowed` is false, and nothing counted, over the limit.
    struct decision {
        bool allowed = true;
        std::optional<standing> requests;  // nothing without a limit
    };
    decision count_request(const std::string& caller, clock::time_point now);

    // Rows that the caller has left today; nothing without a limit. An export may begin while
    // something is left, and is counted when it has ended.
    std::optional<standing> rows(const std::string& caller, clock::time_point now) const;
    void count_rows(const std::string& caller, std::uint64_t n, clock::time_point now);

private:
    struct use {
        std::uint64_t requests = 0;
        clock::time_point minute;
        std::uint64_t rows = 0;
        std::chrono::sys_days day;
        clock::time_point last;
    };
    use& use_of(const std::string& caller, clock::time_point now);

    quota_limits limits_;
    std::map<std::string, use> used_;
};

}  // namespace exportd::access
