#pragma once

#include <exportd/reports/report.hpp>
#include <exportd/sql/session.hpp>

#include <string>

namespace exportd::reports {

// A statement and its parameters.
struct statement {
    std::string sql;
    sql::parameters given;
};

// How PostgreSQL calls the type of the time column: one row, one column. The query is not run.
statement time_type_query(const report_request& r);

// Whether the column holds instants (timestamptz); otherwise local times. Throws
// std::invalid_argument for a type that is neither.
bool is_instant(const std::string& type);

// One scan of the export's query over the range, aggregated by the database. Rows of several
// kinds, told apart by `kind`; currency, orders, refund_orders, net, refunds and two keys:
//
//   day      one day of one currency: a is the day's number in the range, from 1
//   hour     one weekday and hour of the clock: a is the weekday, Monday 0; b the hour
//   band     one fine value band: a is its number, see band_ends()
//   middle   net and refunds are the two middle amounts; `largest` the largest
//   left_out orders in no sum; `currency` is the reason
//   code     the most frequent unusable codes
statement range_query(const report_request& r, bool instant);

// Sums of the range before, by currency, and what is left out of them (kinds total, left_out).
statement before_query(const report_request& r, bool instant);

// Orders of the range by customer: kind `new`, `returning` or `unknown`, by currency; `a` counts
// customers. Without a currency: customers over all currencies.
//
// A customer is a returning one if the export's query, run over the history before the range
// together with it, has an order of theirs there.
statement customer_query(const report_request& r, bool instant);

}  // namespace exportd::reports
