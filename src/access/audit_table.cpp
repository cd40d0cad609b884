#include <exportd/access/audit_table.hpp>

#include "audit_words.hpp"
#include <string_view>

namespace exportd::access {
namespace {

sql::text maybe_time(const std::optional<std::chrono::sys_time<std::chrono::microseconds>>& t) {
    return t ? sql::text{time_text(*t)} : sql::text{};
}

}  // namespace

void audit_table::write(const audit_record& r) {
    // No target is named: that would take the right to read.
    constexpr std::string_view insert = R"(
        INSERT INTO exportd.audit (phase, attempt, action, who, client, request_id, export, subject,
                                   range_from, range_to, options, outcome, code, row_count,
                                   byte_count, duration_ms)
        VALUES ($1, $2::uuid, $3, $4, $5, $6, $7, $8, $9::timestamptz, $10::timestamptz, $11, $12,
                $13, $14::bigint, $15::bigint, $16::bigint)
        ON CONFLICT DO NOTHING)";
    const sql::parameters values{std::string{name_of(r.what)},
                                 r.attempt,
                                 r.action,
                                 r.who,
                                 r.from,
                                 r.request_id,
                                 r.export_name,
                                 r.subject,
                                 maybe_time(r.range_from),
                                 maybe_time(r.range_to),
                                 r.options,
                                 r.outcome,
                                 r.code,
                                 std::to_string(r.rows),
                                 std::to_string(r.bytes),
                                 std::to_string(r.duration.count())};
    try {
        session_.exec(insert, values);
    } catch (const sql::connection_error& e) {
        throw sink_unavailable{e.what()};
    }
}

}  // namespace exportd::access
