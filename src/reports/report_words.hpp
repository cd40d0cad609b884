#pragma once

#include <exportd/format/date_time.hpp>
#include <exportd/format/number.hpp>
#include <exportd/reports/report.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace exportd::reports {

// Numbers and dates as the report's pages have them, in the locale of the export. For one thread.
class report_words {
public:
    explicit report_words(const report& r);

    std::string count(std::uint64_t n) const;
    // 1 order, 2 orders.
    std::string count(std::uint64_t n, std::string_view one, std::string_view many) const;
    // -12.5%, with a plus where it is more; what is beyond all comparison is not spelled out.
    std::string percent(const amount& of) const;
    std::string share(const amount& percent) const;
    // 1 July 2025 to 30 September 2025: for people, so with the last day.
    std::string range(const day_range& range) const;
    // In the export's zone.
    std::string moment(std::chrono::sys_seconds t) const;
    // As PDF's metadata have it.
    std::string created(std::chrono::sys_seconds t) const;
    std::string reason(std::string_view code) const;

private:
    std::unique_ptr<format::number_formatter> number_;
    std::unique_ptr<format::number_formatter> tenth_;
    std::unique_ptr<format::date_time_formatter> date_;
    std::unique_ptr<format::date_time_formatter> moment_;
};

// Jan 25 and 1 Jan, for axes.
std::string month_label(day d);
std::string day_label(day d);

}  // namespace exportd::reports
