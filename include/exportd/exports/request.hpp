#pragma once

#include <exportd/exports/date_range.hpp>
#include <exportd/exports/definition.hpp>

#include <boost/system/result.hpp>

#include <optional>
#include <span>
#include <string>
#include <utility>

namespace exportd::exports {

enum class values { formatted, raw };

// What one caller asks of one export. A plain value.
struct request {
    date_range range;
    exports::values values = exports::values::formatted;
    bool excel = false;                     // byte order mark and CRLF
    std::optional<std::string> receipt_id;  // the caller's own, a UUID in lower case
};

// What is wrong with a parameter, in words for the caller.
struct parameter_error {
    std::string code;       // stable, such as "missing_parameter"
    std::string parameter;  // its name
    std::string detail;     // one sentence
};

// Names and values, percent-decoded, in the order they came.
using parameters = std::span<const std::pair<std::string, std::string>>;

// Checks every parameter and the range. No text of the caller's gets into the error but the
// name of an unknown parameter (shortened).
boost::system::result<request, parameter_error> parse_request(const definition& d,
                                                              const format::time_zone& zone,
                                                              parameters given);

// `orders_2025-01-01_2025-04-01.csv`, made of parsed values only.
std::string file_name(const definition& d, const format::time_zone& zone, const date_range& range);

// Whether `text` has the form of a UUID (RFC 9562 section 4), in either case.
bool is_uuid(std::string_view text) noexcept;

}  // namespace exportd::exports
