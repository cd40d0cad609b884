#include <exportd/http/permission.hpp>

#include <fmt/format.h>

#include <chrono>

namespace exportd::http {

std::optional<access::permission> permission_of(const access::policy_store& policies,
                                                const request& r,
                                                const exports::catalog_entry& entry) {
    return policies.current().permits(r.who, entry.what.name, std::chrono::system_clock::now());
}

problem not_permitted() {
    auto p =
        bad_request("not_permitted", "You may not use this export; ask whoever runs this service.");
    p.status = 403;
    return p;
}

std::optional<problem> excess_of(const access::permission& may, const exports::catalog_entry& entry,
                                 const exports::request& asked) {
    if (asked.values == exports::values::raw && !may.raw) {
        auto p =
            bad_request("raw_not_permitted", "You may not have this export's values as stored.");
        p.status = 403;
        p.parameter = "values";
        return p;
    }
    if (may.max_range && exports::calendar_days(asked.range, *entry.zone) > *may.max_range) {
        auto p = bad_request(
            "range_too_long",
            fmt::format("A range may span at most {} days for you.", may.max_range->count()));
        p.parameter = "to";
        return p;
    }
    return std::nullopt;
}

}  // namespace exportd::http
