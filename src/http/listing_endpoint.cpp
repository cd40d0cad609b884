#include <exportd/exports/encoder_factory.hpp>
#include <exportd/http/json.hpp>
#include <exportd/http/listing_endpoint.hpp>
#include <exportd/http/permission.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace exportd::http {
namespace {

std::string array_of(const std::vector<std::string>& texts) {
    std::string json = "[";
    for (const auto& text : texts) {
        if (json.size() > 1) json += ',';
        json += json_string(text);
    }
    return json + ']';
}

std::vector<std::string> names_of(const std::vector<rows::column>& columns) {
    std::vector<std::string> names;
    for (const auto& column : columns)
        names.push_back(column.name);
    return names;
}

}  // namespace

std::string listing_endpoint::entry_json(const exports::catalog_entry& entry,
                                         const access::permission& may) const {
    const auto& d = entry.what;
    json_object o;
    o.text("name", d.name).text("title", d.title);
    o.text("href", fmt::format("/exports/{}.csv", d.name));
    o.text("estimate", fmt::format("/exports/{}/estimate", d.name));
    if (services_.limits.jobs) o.text("jobs", fmt::format("/exports/{}/jobs", d.name));
    o.text("time_zone", d.time_zone).text("locale", d.locale);
    const auto* seen = schemas_.find(d.name);
    if (!d.columns.empty()) {
        o.raw("columns", array_of(exports::configured_headings(d)));
    } else if (seen != nullptr) {
        o.raw("columns", array_of(names_of(*seen)));
    } else {
        o.null("columns");
    }
    const auto longest = may.max_range ? std::min(*may.max_range, d.max_range) : d.max_range;
    o.number("max_range_days", longest.count());
    o.boolean("raw", may.raw).boolean("report", d.report.has_value());
    o.number("stream_row_limit", row_limit_of(d, services_.limits));
    return std::move(o).done();
}

boost::asio::awaitable<void> listing_endpoint::serve(exchange& x) {
    if (!x.request().query.empty()) {
        auto p = bad_request("unknown_parameter", "This address takes no parameters.");
        co_await x.reply(to_response(p, x.request().request_id));
        co_return;
    }
    std::string list = "[";
    for (const auto& [name, entry] : services_.catalog.all()) {
        const auto may = permission_of(services_.policies, x.request(), entry);
        if (!may) continue;
        if (list.size() > 1) list += ',';
        list += entry_json(entry, *may);
    }
    json_object o;
    o.raw("exports", list + ']');
    response r;
    r.content_type = "application/json";
    r.body = std::move(o).done() + '\n';
    co_await x.reply(std::move(r));
}

}  // namespace exportd::http
