#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace exportd::format {

// A zone's rule as POSIX writes it, with RFC 8536's extension of the hours:
// `GMT0BST,M3.5.0/1,M10.5.0`.
struct posix_rule {
    // When in a year a change happens.
    struct date {
        enum class kind : std::uint8_t {
            julian,   // Jn: day 1 to 365, 29 February is not counted
            ordinal,  // n: day 0 to 365
            weekday,  // Mm.w.d: the w-th (5: the last) weekday d of month m
        };
        kind what = kind::weekday;
        unsigned month = 0;
        unsigned week = 0;
        unsigned day = 0;
        std::int32_t seconds = 7200;  // after midnight, of the time before the change
    };

    std::int32_t standard_offset = 0;  // seconds east of UTC
    std::int32_t daylight_offset = 0;
    bool has_daylight = false;
    date daylight_begins;
    date daylight_ends;
};

// Null if it is not such a rule.
std::optional<posix_rule> parse_posix_rule(std::string_view text) noexcept;

// The local time of a change, in seconds since 2000-01-01.
std::int64_t local_seconds(const posix_rule::date& when, std::int64_t year) noexcept;

}  // namespace exportd::format
