#pragma once

#include <exportd/reports/report.hpp>

#include "pages.hpp"
#include "report_words.hpp"

namespace exportd::reports {

// The charts of one currency, which has orders.
void draw_currency(pages& on, const report& r, const currency_report& c, const report_words& words);

}  // namespace exportd::reports
