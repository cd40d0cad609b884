// Any request target and query: parsed or refused, and nothing of it gets into a file's name.
#include <exportd/exports/request.hpp>
#include <exportd/http/target.hpp>

#include "check.hpp"
#include <algorithm>

using namespace exportd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto zone = format::time_zone::load("Europe/London");
    static const auto definition = [] {
        exports::definition d;
        d.name = "orders";
        d.filename = "orders";
        return d;
    }();
    const auto target = http::parse_target(fuzz::as_text(data, size));
    if (!target) return 0;
    const auto asked = exports::parse_request(definition, *zone, target->query);
    if (asked.has_error()) {
        fuzz::check(!asked.error().code.empty() && !asked.error().detail.empty(), "a reason");
        fuzz::check(asked.error().detail.size() < 1000, "a short one");
        return 0;
    }
    fuzz::check(asked->range.from < asked->range.to, "a range that is not empty");
    const auto name = exports::file_name(definition, *zone, asked->range);
    const auto harmless = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
    };
    fuzz::check(std::all_of(name.begin(), name.end(), harmless), "a harmless name");
    fuzz::check(!asked->receipt_id || exports::is_uuid(*asked->receipt_id), "a UUID");
    return 0;
}
