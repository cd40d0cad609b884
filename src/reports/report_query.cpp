#include "report_query.hpp"

#include <exportd/reports/value_bands.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

namespace exportd::reports {
namespace {

std::string quoted(const std::string& name) {
    std::string text = "\"";
    for (const char c : name) {
        if (c == '"') text += c;
        text += c;
    }
    return text + '"';
}

// The first use of a parameter decides its type, and the export's query has to find timestamptz.
// The line ends keep a comment at the end of the query from swallowing what follows it.
std::string source(const report_request& r) {
    return "WITH exportd_given AS (SELECT $1::timestamptz AS a, $2::timestamptz AS b),\n"
           "exportd_source AS (\n" +
           r.sql + "\n)";
}

std::string array_of(const std::vector<std::string>& elements) {
    return fmt::format("{{{}}}", fmt::join(elements, ","));
}

// When the days of a range begin, the end of the last one included.
std::string day_starts(const report_request& r, const day_range& range, bool instant) {
    std::vector<std::string> starts;
    for (auto d = range.from; d <= range.to; d += std::chrono::days{1})
        starts.push_back(instant ? start_parameter(d, *r.zone) : iso_date(d));
    return array_of(starts);
}

std::string time_column(const report_request& r, bool instant) {
    return quoted(r.columns.time) + (instant ? "::timestamptz" : "::timestamp");
}

std::string currency_column(const report_request& r) {
    return "rtrim(" + quoted(r.columns.currency) + "::text, ' ') COLLATE \"C\"";
}

// Why a row is in no sum; null: it is in one. The same order in every query.
constexpr std::string_view reason =
    "CASE WHEN currency IS NULL OR currency = '' THEN 'currency_missing' "
    "WHEN currency !~ '^[A-Z]{3}$' THEN 'currency_unusable' ELSE fault END";
constexpr std::string_view amount_fault =
    "WHEN amount IS NULL THEN 'amount_missing' "
    // True of NaN and the infinities only, in every version of PostgreSQL.
    "WHEN amount - amount <> 0 THEN 'amount_not_finite' ";

// Cells, then facts: what the sums are made of. OFFSET 0 keeps the planner from working out the
// day several times a row.
std::string facts(const report_request& r, bool instant) {
    const auto* type = instant ? "timestamptz" : "timestamp";
    const std::string local =
        instant ? "(t AT TIME ZONE 'UTC') + ($4::interval[])[width_bucket(t, $5::timestamptz[])]"
                : "t";
    return fmt::format(
        ",\nexportd_cell AS (SELECT {} AS currency, {}::numeric AS amount, {} AS t,\n"
        "    width_bucket({}, $3::{}[]) AS day FROM exportd_source OFFSET 0),\n"
        "exportd_fact AS MATERIALIZED (SELECT currency, amount, day,\n"
        "    CASE {}WHEN day IS NULL THEN 'time_missing'\n"
        "        WHEN day NOT BETWEEN 1 AND {} THEN 'time_outside_range' END AS fault,\n"
        "    CASE WHEN day BETWEEN 1 AND {} THEN date_part('hour', {})::int END AS hour\n"
        "    FROM exportd_cell OFFSET 0)",
        currency_column(r), quoted(r.columns.amount), time_column(r, instant),
        time_column(r, instant), type, amount_fault, r.range.length().count(),
        r.range.length().count(), local);
}

constexpr std::string_view sums =
    "count(*) AS n, count(*) FILTER (WHERE amount < 0) AS refund_n, sum(amount) AS net, "
    "coalesce(sum(amount) FILTER (WHERE amount < 0), 0) AS refunds";

}  // namespace

statement time_type_query(const report_request& r) {
    return {source(r) + fmt::format("\nSELECT pg_typeof((SELECT {} FROM exportd_source LIMIT 0))",
                                    quoted(r.columns.time)),
            {start_parameter(r.range.from, *r.zone), start_parameter(r.range.to, *r.zone)}};
}

bool is_instant(const std::string& type) {
    if (type == "timestamp with time zone") return true;
    if (type == "timestamp without time zone" || type == "date") return false;
    throw std::invalid_argument{"the report's time column has the type " + type};
}

statement range_query(const report_request& r, bool instant) {
    statement s;
    s.given = {start_parameter(r.range.from, *r.zone), start_parameter(r.range.to, *r.zone),
               day_starts(r, r.range, instant)};
    if (instant) {
        std::vector<std::string> offsets;
        std::vector<std::string> begins;
        for (auto& change : clock_changes(r.range, *r.zone)) {
            offsets.push_back(std::move(change.offset));
            begins.push_back(std::move(change.begin));
        }
        s.given.emplace_back(array_of(offsets));
        s.given.emplace_back(array_of(begins));
    }
    s.sql = source(r) + facts(r, instant);
    s.sql += fmt::format(R"(,
exportd_hour AS MATERIALIZED (SELECT currency, day, hour, {}
    FROM exportd_fact WHERE fault IS NULL GROUP BY 1, 2, 3),
exportd_value AS MATERIALIZED (SELECT currency, amount, count(*)::int AS n
    FROM exportd_fact WHERE fault IS NULL GROUP BY 1, 2),
exportd_fault AS MATERIALIZED (SELECT currency, fault, count(*) AS n FROM exportd_fact GROUP BY 1, 2),
exportd_count AS (SELECT currency, {} AS reason, n FROM exportd_fault),
exportd_usable AS (SELECT * FROM exportd_value WHERE currency ~ '^[A-Z]{{3}}$'),
exportd_total AS (SELECT currency, sum(n) AS total FROM exportd_usable GROUP BY 1),
exportd_running AS (SELECT currency, amount, sum(n) OVER (PARTITION BY currency ORDER BY amount
    ROWS UNBOUNDED PRECEDING) AS until FROM exportd_usable)
SELECT CASE WHEN day IS NULL THEN 'hour' ELSE 'day' END AS kind, currency,
    coalesce(day, weekday) AS a, hour AS b, sum(n) AS orders, sum(refund_n) AS refund_orders,
    sum(net) AS net, sum(refunds) AS refunds, NULL::numeric AS largest
FROM (SELECT *, (day - 1 + {}) % 7 AS weekday FROM exportd_hour WHERE currency ~ '^[A-Z]{{3}}$') AS h
GROUP BY GROUPING SETS ((currency, day), (currency, weekday, hour))
UNION ALL SELECT 'band', currency, width_bucket(amount, '{}'::numeric[]), NULL, sum(n), NULL,
    sum(n * amount), NULL, NULL FROM exportd_usable GROUP BY 2, 3
UNION ALL SELECT 'middle', currency, NULL, NULL, NULL, NULL, min(amount) FILTER (WHERE until >= (total + 1) / 2),
    min(amount) FILTER (WHERE until >= (total + 2) / 2), max(amount)
    FROM exportd_running JOIN exportd_total USING (currency) GROUP BY 2
UNION ALL SELECT 'left_out', reason, NULL, NULL, sum(n), NULL, NULL, NULL, NULL
    FROM exportd_count WHERE reason IS NOT NULL GROUP BY 2
UNION ALL (SELECT 'code', left(currency, 40), NULL, NULL, sum(n), NULL, NULL, NULL, NULL
    FROM exportd_count WHERE reason = 'currency_unusable' GROUP BY 2 ORDER BY 5 DESC, 2 LIMIT 20))",
                         sums, reason, weekday_of(r.range.from), array_of(band_ends()));
    return s;
}

statement before_query(const report_request& r, bool instant) {
    const auto before = range_before(r.range);
    statement s;
    s.given = {start_parameter(before.from, *r.zone), start_parameter(before.to, *r.zone),
               array_of({instant ? start_parameter(before.from, *r.zone) : iso_date(before.from),
                         instant ? start_parameter(before.to, *r.zone) : iso_date(before.to)})};
    s.sql = source(r);
    s.sql += fmt::format(R"(,
exportd_cell AS (SELECT {} AS currency, {}::numeric AS amount, width_bucket({}, $3::{}[]) AS part
    FROM exportd_source OFFSET 0),
exportd_fact AS (SELECT currency, amount, CASE {}WHEN part IS NULL THEN 'time_missing'
    WHEN part <> 1 THEN 'time_outside_range' END AS fault FROM exportd_cell OFFSET 0),
exportd_sum AS (SELECT currency, fault, {} FROM exportd_fact GROUP BY 1, 2)
SELECT CASE WHEN ({}) IS NULL THEN 'total' ELSE 'left_out' END AS kind,
    CASE WHEN ({}) IS NULL THEN currency END AS currency, sum(n) AS orders,
    sum(refund_n) AS refund_orders, sum(net) AS net, sum(refunds) AS refunds
FROM exportd_sum GROUP BY 1, 2)",
                         currency_column(r), quoted(r.columns.amount), time_column(r, instant),
                         instant ? "timestamptz" : "timestamp", amount_fault, sums, reason, reason);
    return s;
}

statement customer_query(const report_request& r, bool instant) {
    const auto begin = r.range.from - r.history;
    const auto edge = [&](day d) { return instant ? start_parameter(d, *r.zone) : iso_date(d); };
    statement s;
    s.given = {start_parameter(begin, *r.zone), start_parameter(r.range.to, *r.zone),
               array_of({edge(begin), edge(r.range.from), edge(r.range.to)})};
    s.sql = source(r);
    s.sql += fmt::format(R"(,
exportd_cell AS (SELECT {}::text COLLATE "C" AS customer, {} AS currency, {}::numeric AS amount,
    width_bucket({}, $3::{}[]) AS part FROM exportd_source OFFSET 0),
exportd_customer AS MATERIALIZED (SELECT customer, part, CASE WHEN part = 2 THEN currency END AS currency,
    count(*) FILTER (WHERE part = 2 AND amount - amount = 0) AS n,
    sum(amount) FILTER (WHERE part = 2 AND amount - amount = 0) AS net FROM exportd_cell GROUP BY 1, 2, 3),
exportd_group AS MATERIALIZED (SELECT customer, currency, n, net, CASE WHEN customer IS NULL THEN 'unknown'
    WHEN customer IN (SELECT customer FROM exportd_customer WHERE part = 1 AND customer IS NOT NULL)
    THEN 'returning' ELSE 'new' END AS kind
    FROM exportd_customer WHERE part = 2 AND n > 0 AND currency ~ '^[A-Z]{{3}}$')
SELECT kind, currency, count(customer) AS a, sum(n) AS orders, sum(net) AS net FROM exportd_group GROUP BY 1, 2
UNION ALL SELECT kind, NULL, count(DISTINCT customer), sum(n), NULL FROM exportd_group GROUP BY 1)",
                         quoted(r.columns.customer), currency_column(r), quoted(r.columns.amount),
                         time_column(r, instant), instant ? "timestamptz" : "timestamp");
    return s;
}

}  // namespace exportd::reports
