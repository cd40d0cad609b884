#pragma once

#include <exportd/access/policy.hpp>
#include <exportd/exports/catalog.hpp>
#include <exportd/http/message.hpp>
#include <exportd/http/problem.hpp>
#include <exportd/reports/report_maker.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace exportd::http {

inline constexpr std::string_view json_type = "application/json";
inline constexpr std::string_view pdf_type = "application/pdf";

// What a request for a report asks, or the problem that tells why it can't be had.
struct asked_report {
    reports::report_request what;
    reports::report_form form = reports::report_form::json;
    std::string file_name;                     // of a PDF, made of parsed values only
    std::optional<exports::date_range> range;  // of `what`, in instants
    std::optional<problem> refused;
};

// Reads {"from": DATE, "to": DATE, "export": NAME}; without "export" it is the first one, by name,
// that reports can be made of. Dates are days of that export's zone, half-open.
// It has to be one that the caller may use.
asked_report parse_report_request(const exports::catalog& catalog,
                                  const access::policy_store& policies, const request& r);

}  // namespace exportd::http
