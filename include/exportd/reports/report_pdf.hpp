#pragma once

#include <exportd/reports/report.hpp>

#include <stop_token>
#include <string>

namespace exportd::reports {

// The report for people: the bytes of a PDF. A4 pages with the tables of all currencies and the
// charts of those with the most orders; it prints well in grey, is tagged, and has an outline.
// The same report gives the same pages. For any thread, each call by itself.
//
// Throws sql::interrupted between two pages once a stop is requested, and std::runtime_error when
// it can't be drawn.
std::string to_pdf(const report& r, const std::stop_token& stop);

}  // namespace exportd::reports
