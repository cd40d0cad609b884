#include <exportd/exports/request.hpp>
#include <exportd/http/accept.hpp>
#include <exportd/http/permission.hpp>
#include <exportd/http/report_request.hpp>

#include <fmt/format.h>

#include "flat_object.hpp"
#include "job_body.hpp"
#include <array>
#include <charconv>
#include <map>
#include <utility>
#include <vector>

namespace exportd::http {
namespace {

using members = std::map<std::string, std::string, std::less<>>;

constexpr std::array<member, 3> known{{
    {"from", member_type::text, "from has to be a date such as \"2025-01-31\", in quotes."},
    {"to", member_type::text, "to has to be a date such as \"2025-01-31\", in quotes."},
    {"export", member_type::text, "export is the name of an export, in quotes."},
}};
constexpr std::array<std::string_view, 2> offered{json_type, pdf_type};

problem make(unsigned status, std::string_view code, std::string_view detail) {
    auto p = bad_request(code, detail);
    p.status = status;
    return p;
}

problem fault_of(std::string_view code, std::string_view parameter, std::string_view detail) {
    auto p = bad_request(code, detail);
    p.parameter = parameter;
    return p;
}

std::optional<problem> read_members(std::string_view body, members& found) {
    auto read = parse_flat_object(body, known);
    if (auto* failure = std::get_if<problem>(&read)) return std::move(*failure);
    for (auto& [name, value] : std::get<flat_object>(read))
        found.emplace(std::move(name), std::move(value));
    return std::nullopt;
}

const exports::catalog_entry* find_reportable(const exports::catalog& catalog,
                                              const access::policy_store& policies,
                                              const request& r, const members& given) {
    const auto name = given.find("export");
    if (name != given.end()) {
        const auto* entry = catalog.find(name->second);
        return entry != nullptr && entry->what.report ? entry : nullptr;
    }
    for (const auto& [key, entry] : catalog.all()) {
        if (entry.what.report && permission_of(policies, r, entry)) return &entry;
    }
    return nullptr;
}

// 2025-01-31; that it is a day of the calendar is checked elsewhere.
std::optional<reports::day> read_day(std::string_view text) {
    constexpr std::size_t length = 10;
    if (text.size() != length || text[4] != '-' || text[7] != '-') return std::nullopt;
    std::array<int, 3> parts{};
    constexpr std::array<std::pair<std::size_t, std::size_t>, 3> places{{{0, 4}, {5, 2}, {8, 2}}};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto [at, width] = places[i];
        const auto* end = text.data() + at + width;
        if (std::from_chars(text.data() + at, end, parts[i]).ptr != end) return std::nullopt;
    }
    return reports::day{std::chrono::year{parts[0]} / parts[1] / parts[2]};
}

std::optional<problem> read_range(const exports::catalog_entry& entry,
                                  const access::permission& may, const members& given,
                                  reports::day_range& range,
                                  std::optional<exports::date_range>& instants) {
    std::vector<std::pair<std::string, std::string>> ends;
    for (const auto* name : {"from", "to"}) {
        const auto found = given.find(name);
        if (found == given.end()) continue;
        if (!read_day(found->second)) {
            return fault_of("invalid_parameter", name,
                            fmt::format("{} has to be a date such as 2025-01-31.", name));
        }
        ends.emplace_back(*found);
    }
    const auto parsed = exports::parse_request(entry.what, *entry.zone, ends);
    if (!parsed) {
        const auto& e = parsed.error();
        // Of the two forms that the parser knows a report takes dates only.
        if (e.code == "invalid_parameter") {
            return fault_of(e.code, e.parameter,
                            fmt::format("{} has to be a date such as 2025-01-31.", e.parameter));
        }
        return fault_of(e.code, e.parameter, e.detail);
    }
    range = {*read_day(given.at("from")), *read_day(given.at("to"))};
    instants = parsed->range;
    return excess_of(may, entry, *parsed);
}

reports::report_request request_of(const exports::catalog_entry& entry,
                                   const reports::day_range& range) {
    const auto& d = entry.what;
    reports::report_request r;
    r.export_name = d.name;
    r.title = d.title;
    r.sql = d.sql;
    r.locale = d.locale;
    r.zone = entry.zone;
    r.columns = {d.report->amount, d.report->currency, d.report->time, d.report->customer};
    r.history = d.report->history;
    r.range = range;
    return r;
}

std::optional<problem> check_head(const request& r, asked_report& asked) {
    if (!r.query.empty()) {
        return bad_request("unknown_parameter", "This address takes its parameters in the body.");
    }
    const auto type = negotiate(r.accept, offered);
    if (!type) {
        return make(406, "not_acceptable",
                    "A report comes as application/json or application/pdf.");
    }
    asked.form = *type == pdf_type ? reports::report_form::pdf : reports::report_form::json;
    if (!is_json_type(r.content_type)) {
        return make(415, "unsupported_media_type",
                    "The body has to be JSON, with Content-Type: application/json.");
    }
    return std::nullopt;
}

}  // namespace

asked_report parse_report_request(const exports::catalog& catalog,
                                  const access::policy_store& policies, const request& r) {
    asked_report asked;
    members given;
    asked.refused = check_head(r, asked);
    if (!asked.refused) asked.refused = read_members(r.body, given);
    if (asked.refused) return asked;
    const auto* entry = find_reportable(catalog, policies, r, given);
    if (entry == nullptr && !given.contains("export")) {
        asked.refused = not_permitted();
        return asked;
    }
    if (entry == nullptr) {
        asked.refused = fault_of("invalid_parameter", "export",
                                 "There is no export of that name that has reports.");
        return asked;
    }
    asked.what.export_name = entry->what.name;
    const auto may = permission_of(policies, r, *entry);
    if (!may) {
        asked.refused = not_permitted();
        return asked;
    }
    reports::day_range range;
    asked.refused = read_range(*entry, *may, given, range, asked.range);
    if (asked.refused) return asked;
    asked.what = request_of(*entry, range);
    asked.file_name = fmt::format("{}-report_{}_{}.pdf", entry->what.filename,
                                  reports::iso_date(range.from), reports::iso_date(range.to));
    return asked;
}

}  // namespace exportd::http
