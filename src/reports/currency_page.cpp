#include "currency_page.hpp"

#include <fmt/format.h>

#include "chart.hpp"
#include <algorithm>

namespace exportd::reports {
namespace {

// More bars than these are thinner than a pencil's line.
constexpr std::size_t most_days = 400;
constexpr std::size_t most_weeks = 420;

std::vector<bar> bars_of(const std::vector<period_sum>& periods, std::string (*label)(day)) {
    std::vector<bar> bars;
    for (const auto& each : periods)
        bars.push_back({label(each.when.days.from), each.net.value.approximate()});
    return bars;
}

// Of many days only the first of each month is named, of fewer every Monday.
std::vector<bar> day_bars(const std::vector<period_sum>& days) {
    constexpr std::size_t a_fortnight = 16;
    constexpr std::size_t some_months = 100;
    auto bars = bars_of(days, day_label);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const auto d = days[i].when.days.from;
        const bool first = std::chrono::year_month_day{d}.day() == std::chrono::day{1};
        const bool named =
            days.size() <= a_fortnight || (days.size() <= some_months ? weekday_of(d) == 0 : first);
        if (!named) bars[i].label.clear();
    }
    return bars;
}

void net_chart(pages& on, const currency_report& c, const std::string& period, double height,
               const std::vector<bar>& bars) {
    on.caption(fmt::format("Net by {}, {}", period, c.code), height);
    on.figure(height, [&](const box& b) { draw_bars(on.on(), b, bars, c.zero); });
}

void days_chart(pages& on, const currency_report& c) {
    constexpr double height = 140;
    if (c.days.size() <= most_days) {
        net_chart(on, c, "day", height, day_bars(c.days));
    } else if (c.weeks.size() <= most_weeks) {
        net_chart(on, c, "week", height, bars_of(c.weeks, month_label));
    }
}

void week_chart(pages& on, const report& r, const currency_report& c) {
    constexpr double height = 140;
    std::vector<std::vector<double>> counts;
    for (const auto& row : c.hours) {
        counts.emplace_back();
        for (const auto& hour : row)
            counts.back().push_back(static_cast<double>(hour.orders));
    }
    on.caption(fmt::format("Orders by weekday and hour of the day, {}", r.zone->name()), height);
    on.figure(height, [&](const box& b) { draw_week(on.on(), b, counts); });
}

std::string label_of(const band_figures& band) {
    if (!band.from) return "refunds, below " + band.to->text;
    if (!band.to) return band.from->text + " and more";
    return fmt::format("{} to under {}", band.from->text, band.to->text);
}

// One digit; a few are not shown as none.
std::string share_of(std::uint64_t part, std::uint64_t whole, const report_words& words) {
    const auto number = [](std::uint64_t n) { return amount::parse(std::to_string(n)); };
    const auto share = (number(part) * number(100)).divided(number(whole), 1);
    return part != 0 && share.sign() == 0 ? "under 0.1%" : words.share(share);
}

void bands_chart(pages& on, const currency_report& c, const report_words& words) {
    std::vector<band_bar> bars;
    for (const auto& band : c.bands) {
        bars.push_back({label_of(band), static_cast<double>(band.orders),
                        fmt::format("{} ({})", words.count(band.orders),
                                    share_of(band.orders, c.sums.orders, words))});
    }
    const double height = height_of_bands(bars.size());
    on.caption("Orders by amount", height);
    on.figure(height, [&](const box& b) { draw_bands(on.on(), b, bars); });
}

}  // namespace

void draw_currency(pages& on, const report& r, const currency_report& c,
                   const report_words& words) {
    constexpr double some_room = 200;
    on.heading(c.code, some_room);
    on.paragraph(fmt::format("{} in {}, {}", c.sums.net.text,
                             words.count(c.sums.orders, "order", "orders"), words.range(r.range)),
                 10, 0.2);
    constexpr double month_height = 140;
    net_chart(on, c, "month", month_height, bars_of(c.months, month_label));
    days_chart(on, c);
    week_chart(on, r, c);
    bands_chart(on, c, words);
}

}  // namespace exportd::reports
