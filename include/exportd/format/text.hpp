#pragma once

#include <cstdint>

namespace exportd::format {

// What a writer knows about the text it has just appended, without reading it again.
struct text_flags {
    // The value could not be shown as asked and its plain form was written instead.
    bool fallback = false;
    // The text is one that RFC 4180 wants quoted: it holds `,` `"` CR or LF, or begins or ends
    // with U+0020.
    bool needs_quotes = false;
};

// What is known beforehand about all texts of one formatter, so that a CSV writer can choose
// how it treats a whole column. The special values (NaN, Infinity, infinity, ...) are never in
// need of quotes and are not counted here; text_flags is right for each value, these too.
enum class csv_class : std::uint8_t {
    never_needs_quotes,
    may_need_quotes,
    always_needs_quotes,
};

}  // namespace exportd::format
