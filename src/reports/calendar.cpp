#include <exportd/reports/calendar.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace exportd::reports {
namespace {

using namespace std::chrono;
using instant = sys_time<microseconds>;

constexpr sys_days postgres_epoch{2000y / 1 / 1};

std::int64_t start_of(day d, const format::time_zone& zone) {
    return zone.start_of_day(static_cast<std::int32_t>((d - postgres_epoch).count()));
}

struct civil {
    explicit civil(std::int64_t postgres)
        : at{postgres_epoch + microseconds{postgres}},
          date{floor<days>(at)},
          time{at - floor<days>(at)} {}

    std::string clock(std::string_view between) const {
        auto text =
            fmt::format("{:02}-{:02}{}{:02}:{:02}:{:02}", static_cast<unsigned>(date.month()),
                        static_cast<unsigned>(date.day()), between, time.hours().count(),
                        time.minutes().count(), time.seconds().count());
        if (time.subseconds().count() != 0)
            text += fmt::format(".{:06}", time.subseconds().count());
        return text;
    }

    instant at;
    year_month_day date;
    hh_mm_ss<microseconds> time;
};

// PostgreSQL writes year 0 as 1 BC.
std::string to_parameter(std::int64_t postgres) {
    const civil c{postgres};
    const int year = static_cast<int>(c.date.year());
    return fmt::format("{:04}-{}+00{}", year > 0 ? year : 1 - year, c.clock(" "),
                       year > 0 ? "" : " BC");
}

template <class Name, class Next>
std::vector<period> cut(const day_range& range, Name name, Next next) {
    std::vector<period> all;
    for (auto at = range.from; at < range.to;) {
        const auto end = std::min(next(at), range.to);
        all.push_back({name(at), {at, end}});
        at = end;
    }
    return all;
}

day start_of_week(day d) {
    return d - days{weekday_of(d)};
}

// ISO 8601: a week belongs to the year that has its Thursday.
std::string week_name(day d) {
    const auto thursday = start_of_week(d) + days{3};
    const auto year = year_month_day{thursday}.year();
    const auto number = (thursday - sys_days{year / 1 / 1}).count() / 7 + 1;
    return fmt::format("{:04}-W{:02}", static_cast<int>(year), number);
}

}  // namespace

day_range range_before(const day_range& range) {
    return {range.from - range.length(), range.from};
}

std::vector<period> days_of(const day_range& range) {
    return cut(range, iso_date, [](day d) { return d + days{1}; });
}

std::vector<period> months_of(const day_range& range) {
    const auto name = [](day d) { return iso_date(d).substr(0, 7); };
    const auto next = [](day d) {
        const year_month_day date{d};
        return day{(date.year() / date.month() + months{1}) / 1};
    };
    return cut(range, name, next);
}

std::vector<period> weeks_of(const day_range& range) {
    return cut(range, week_name, [](day d) { return start_of_week(d) + days{7}; });
}

unsigned weekday_of(day d) {
    return weekday{d}.iso_encoding() - 1;
}

std::string iso_date(day d) {
    const year_month_day date{d};
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string start_parameter(day d, const format::time_zone& zone) {
    return to_parameter(start_of(d, zone));
}

std::string start_rfc3339(day d, const format::time_zone& zone) {
    const civil c{start_of(d, zone)};
    return fmt::format("{:04}-{}Z", static_cast<int>(c.date.year()), c.clock("T"));
}

std::vector<clock_change> clock_changes(const day_range& range, const format::time_zone& zone) {
    std::vector<clock_change> all;
    const auto end = start_of(range.to, zone);
    for (auto at = start_of(range.from, zone); at < end;) {
        const auto here = zone.at(at);
        all.push_back({to_parameter(at), fmt::format("{} microseconds", here.offset)});
        at = here.end;
    }
    return all;
}

}  // namespace exportd::reports
