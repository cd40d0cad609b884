#include <exportd/app/export_check.hpp>
#include <exportd/rows/errc.hpp>

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace exportd::app {
namespace {

using boost::system::system_error;

std::optional<export_fault> check_encoders(const exports::catalog_entry& entry,
                                           const exports::encoder_factory& encoders,
                                           const std::vector<rows::column>& columns) {
    try {
        encoders.make(entry.what, exports::values::formatted, false, columns);
        encoders.make(entry.what, exports::values::raw, false, columns);
    } catch (const std::runtime_error& e) {
        return export_fault{export_fault::kind::definition, entry.what.name, e.what()};
    }
    return std::nullopt;
}

// Whether a report can be made of the query's columns.
std::optional<export_fault> check_report(const exports::catalog_entry& entry,
                                         const std::vector<rows::column>& columns) {
    using rows::value_kind;
    if (!entry.what.report) return std::nullopt;
    const auto fault = [&](const std::string& message) {
        return export_fault{export_fault::kind::definition, entry.what.name, message};
    };
    const auto& named = *entry.what.report;
    const std::vector<std::pair<std::string, std::vector<value_kind>>> wanted{
        {named.amount, {value_kind::numeric, value_kind::int2, value_kind::int4, value_kind::int8}},
        {named.time, {value_kind::timestamptz, value_kind::timestamp, value_kind::date}},
        {named.currency, {value_kind::text}},
        {named.customer, {}},
    };
    for (const auto& [name, kinds] : wanted) {
        const auto has_name = [&wanted_name = name](const rows::column& c) {
            return c.name == wanted_name;
        };
        const auto found = std::find_if(columns.begin(), columns.end(), has_name);
        if (std::count_if(columns.begin(), columns.end(), has_name) != 1)
            return fault("report: the query has no or more than one column " + name);
        if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), found->kind) == kinds.end())
            return fault("report: column " + name + " has a type that can't be used there");
    }
    return std::nullopt;
}

boost::asio::awaitable<std::optional<export_fault>> check_export(
    const exports::catalog_entry& entry, const exports::encoder_factory& encoders,
    rows::row_source_factory& database, exports::schema_store& schemas) {
    rows::query q;
    q.sql = entry.what.sql;
    q.tag = "exportd check";
    // A lock or a silent server must hold up neither the start nor the end of the service.
    q.first_row_timeout = std::chrono::seconds{5};
    // Described, never run: any two instants will do.
    q.parameters = {"2000-01-01 00:00:00+00", "2000-01-02 00:00:00+00"};
    q.parameter_kind = rows::value_kind::timestamptz;
    std::optional<export_fault> fault;
    try {
        auto columns = co_await database.describe(q);
        fault = check_encoders(entry, encoders, columns);
        if (!fault) fault = check_report(entry, columns);
        schemas.set(entry.what.name, std::move(columns));
    } catch (const system_error& e) {
        const auto kind = e.code() == errc::query_failed ? export_fault::kind::query
                                                         : export_fault::kind::unavailable;
        fault = export_fault{kind, entry.what.name, e.what()};
    }
    co_return fault;
}

}  // namespace

boost::asio::awaitable<std::vector<export_fault>> check_exports(
    const exports::catalog& catalog, const exports::encoder_factory& encoders,
    rows::row_source_factory& database, exports::schema_store& schemas) {
    std::vector<export_fault> faults;
    for (const auto& [name, entry] : catalog.all()) {
        auto fault = co_await check_export(entry, encoders, database, schemas);
        if (!fault) continue;
        const bool unavailable = fault->what == export_fault::kind::unavailable;
        faults.push_back(std::move(*fault));
        // The others would wait for the same database.
        if (unavailable) break;
    }
    co_return faults;
}

}  // namespace exportd::app
