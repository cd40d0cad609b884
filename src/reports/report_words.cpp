#include "report_words.hpp"

#include <fmt/format.h>

#include <array>

namespace exportd::reports {
namespace {

constexpr std::chrono::sys_days postgres_epoch{std::chrono::year{2000} / 1 / 1};
constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::string_view month_of(const std::chrono::year_month_day& date) {
    return months.at(static_cast<unsigned>(date.month()) - 1);
}

}  // namespace

report_words::report_words(const report& r)
    : number_{format::number_formatter::create(r.locale)},
      tenth_{format::number_formatter::create(r.locale, format::fraction_digits{1, 1})},
      date_{format::date_time_formatter::create(
          r.locale, r.zone, format::date_time_style::long_form, format::date_time_style::none)},
      moment_{format::date_time_formatter::create(r.locale, r.zone,
                                                  format::date_time_style::long_form,
                                                  format::date_time_style::short_form)} {
}

std::string report_words::count(std::uint64_t n) const {
    rows::byte_buffer out;
    number_->append(out, static_cast<std::int64_t>(n));
    return std::string{out.view()};
}

std::string report_words::count(std::uint64_t n, std::string_view one,
                                std::string_view many) const {
    return fmt::format("{} {}", count(n), n == 1 ? one : many);
}

std::string report_words::percent(const amount& of) const {
    const auto most = amount::parse("1000");
    if (of > most) return "over " + share(most);
    return (of.sign() > 0 ? "+" : "") + share(of);
}

std::string report_words::share(const amount& percent) const {
    rows::byte_buffer out;
    const auto wire = percent.wire();
    tenth_->append(out, format::parse_numeric(wire).value());
    return fmt::format("{}%", out.view());
}

std::string report_words::range(const day_range& range) const {
    const auto text = [&](day d) {
        rows::byte_buffer out;
        date_->append_date(out, static_cast<std::int32_t>((d - postgres_epoch).count()));
        return std::string{out.view()};
    };
    const auto last = range.to - std::chrono::days{1};
    return last == range.from ? text(last) : fmt::format("{} to {}", text(range.from), text(last));
}

std::string report_words::moment(std::chrono::sys_seconds t) const {
    rows::byte_buffer out;
    const std::chrono::microseconds since = t - postgres_epoch;
    moment_->append(out, since.count());
    return std::string{out.view()};
}

std::string report_words::created(std::chrono::sys_seconds t) const {
    const auto date = std::chrono::floor<std::chrono::days>(t);
    const std::chrono::hh_mm_ss time{t - date};
    return fmt::format("{}T{:02}:{:02}:{:02}Z", iso_date(date), time.hours().count(),
                       time.minutes().count(), time.seconds().count());
}

std::string report_words::reason(std::string_view code) const {
    if (code == "currency_missing") return "Without a currency";
    if (code == "currency_unusable") return "With a currency code that is none";
    if (code == "amount_missing") return "Without an amount";
    if (code == "amount_not_finite") return "With an amount that is no number";
    if (code == "time_missing") return "Without a time";
    if (code == "time_outside_range") return "With a time outside the range";
    return "Others";
}

std::string month_label(day d) {
    const std::chrono::year_month_day date{d};
    return fmt::format("{} {:02}", month_of(date), static_cast<int>(date.year()) % 100);
}

std::string day_label(day d) {
    const std::chrono::year_month_day date{d};
    return fmt::format("{} {}", static_cast<unsigned>(date.day()), month_of(date));
}

}  // namespace exportd::reports
