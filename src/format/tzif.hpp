#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::format {

// What a TZif file (RFC 8536) says, without names and leap seconds.
struct tzif {
    struct type {
        std::int32_t offset = 0;  // seconds east of UTC
        bool daylight = false;
    };
    struct transition {
        std::int64_t at = 0;  // Unix time, seconds
        type becomes;
    };

    type before;                          // the first transition
    std::vector<transition> transitions;  // ascending
    std::string footer;                   // the rule after the last one; may be empty
};

// Null if the bytes are not a whole TZif file of version 2 or later.
std::optional<tzif> parse_tzif(std::string_view bytes);

}  // namespace exportd::format
