#pragma once

#include <exportd/reports/report.hpp>
#include <exportd/sql/session.hpp>

#include <stop_token>

namespace exportd::reports {

// Asks the database for all sums, in one read-only transaction that sees one snapshot and that no
// setting of the role but its rights reaches, and puts them together. Blocks, for as long as the
// queries take: on a worker thread only.
//
// Throws sql::error, sql::connection_error, sql::interrupted once a stop is requested, and
// std::invalid_argument for a column that no report can be made of.
report make_report(const report_request& wanted, sql::session& database, std::stop_token stop);

}  // namespace exportd::reports
