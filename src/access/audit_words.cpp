#include "audit_words.hpp"

#include <fmt/format.h>

#include <chrono>

namespace exportd::access {

std::string_view name_of(audit_record::phase p) noexcept {
    switch (p) {
        case audit_record::phase::start:
            return "start";
        case audit_record::phase::end:
            return "end";
        case audit_record::phase::refused:
            return "refused";
    }
    return "unknown";
}

std::string time_text(std::chrono::sys_time<std::chrono::microseconds> t) {
    const auto day = std::chrono::floor<std::chrono::days>(t);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{t - day};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       time.hours().count(), time.minutes().count(), time.seconds().count(),
                       time.subseconds().count());
}

}  // namespace exportd::access
