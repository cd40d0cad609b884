// Any text as a date or date-time: what is understood is written and read again as the same.
#include <exportd/exports/date_range.hpp>

#include <http/http_date.hpp>

#include "check.hpp"

using namespace exportd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto zone = format::time_zone::load("Europe/London");
    const auto text = fuzz::as_text(data, size);
    if (const auto t = exports::parse_instant(text, *zone)) {
        // An offset, or a fraction that is rounded up, can lead out of the years that RFC 3339 has.
        using namespace std::chrono;
        if (*t >= sys_days{year{1} / 1 / 1} && *t < sys_days{year{10'000} / 1 / 1})
            fuzz::check(exports::parse_instant(exports::to_rfc3339(*t), *zone) == t,
                        "it comes back");
        fuzz::check(!exports::to_parameter(*t).empty(), "PostgreSQL gets a text");
        const auto part = exports::to_file_name_part(*t, *zone);
        fuzz::check(part.find_first_not_of("0123456789-T.") == std::string::npos, "harmless");
    }
    if (const auto t = http::parse_http_date(text)) {
        fuzz::check(http::parse_http_date(http::to_http_date(*t)) == t, "it comes back");
    }
    return 0;
}
