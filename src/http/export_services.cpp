#include <exportd/http/export_services.hpp>

namespace exportd::http {

std::uint64_t row_limit_of(const exports::definition& d, const export_limits& limits) {
    return d.stream_row_limit.value_or(limits.stream_row_limit);
}

rows::query make_query(const exports::definition& d, const exports::date_range& range,
                       std::string tag, const export_limits& limits) {
    rows::query q;
    q.sql = d.sql;
    q.parameters = {exports::to_parameter(range.from), exports::to_parameter(range.to)};
    q.parameter_kind = rows::value_kind::timestamptz;
    q.tag = std::move(tag);
    q.first_row_timeout = limits.first_row_timeout;
    q.total_timeout = limits.transfer.deadline;
    return q;
}

entrance enter(const export_services& services, const request& r) {
    if (services.life.draining()) return {std::nullopt, problem_of(errc::shutting_down)};
    auto decision = services.admission.enter(r.client);
    if (decision.granted) return {std::move(decision.granted), {}};
    problem refused = problem_of(errc::pool_exhausted);
    if (decision.reason == exports::admission::refusal::too_many_for_client) {
        refused.status = 429;
        refused.code = "too_many_exports";
        refused.detail =
            "As many exports as one caller may have are already running; wait for one to end.";
    }
    return {std::nullopt, std::move(refused)};
}

asked_export find_asked(const export_services& services, std::string_view name, const request& r) {
    asked_export asked;
    asked.entry = services.catalog.find(name);
    if (asked.entry == nullptr) {
        asked.refused = not_found();
        return asked;
    }
    auto parsed = exports::parse_request(asked.entry->what, *asked.entry->zone, r.query);
    if (parsed) {
        asked.what = std::move(*parsed);
    } else {
        asked.refused = bad_request(parsed.error().code, parsed.error().detail);
        asked.refused->parameter = parsed.error().parameter;
    }
    return asked;
}

}  // namespace exportd::http
