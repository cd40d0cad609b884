#pragma once

#include <exportd/reports/report.hpp>

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace exportd::reports {

// Where the orders are. A plain value.
struct report_database {
    std::string url;  // of libpq; a secret
    std::chrono::milliseconds connect_timeout{0};
    std::chrono::milliseconds statement_timeout{0};  // the server's; 0: none
};

enum class report_form : std::uint8_t { json, pdf };

// How a report came out.
struct made_report {
    enum class end : std::uint8_t {
        complete,
        unavailable,  // the database could not be reached, or was lost
        too_slow,     // a statement took longer than statement_timeout
        failed,       // the database refused a statement, or the columns are not fit
        stopped,
    };

    end how = end::complete;
    std::string body;          // the document
    std::uint64_t orders = 0;  // rows of the query
    std::string cause;         // for the log alone: may name hosts and columns
};

// Makes one report, on a connection of its own that is closed afterwards. Blocks for as long as the
// queries take: on a worker thread only. A requested stop cancels them.
made_report make_report_document(const report_database& database, const report_request& wanted,
                                 report_form form, const std::stop_token& stop);

}  // namespace exportd::reports
