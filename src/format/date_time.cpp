#include <exportd/format/date_time.hpp>
#include <exportd/format/iso.hpp>

#include "civil.hpp"
#include "date_shape.hpp"
#include "icu_date.hpp"
#include "icu_locale.hpp"
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace exportd::format {

namespace {

constexpr std::int64_t plus_infinity = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t minus_infinity = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t year_one = days_from_civil(1, 1, 1);

text_flags bare(rows::byte_buffer& out, std::string_view text) {
    out.append(text);
    return {};
}

text_flags checked(rows::byte_buffer& out, std::string_view text) {
    out.append(text);
    return {.fallback = false, .needs_quotes = is_special_text(text)};
}

// Local times that reach every name, width and hour.
std::vector<std::int64_t> sample_times() {
    std::vector<std::int64_t> times;
    const auto add = [&](std::int64_t year, unsigned month, unsigned day, std::int64_t second) {
        times.push_back((days_from_civil(year, month, day) * 86'400 + second) * micros_per_second);
    };
    for (unsigned month = 1; month <= 12; ++month) {
        add(2025, month, month, month * 3671);
        add(2024, month, 29 - month % 2, 86'399);
    }
    for (unsigned hour = 0; hour < 24; ++hour) {
        add(2025, 9, 1 + hour, hour * 3600);
        add(1999, 12, 31 - hour, hour * 3600 + 9 * 60 + 5);
        add(2000, 1, 7, hour * 3600 + 3599);
    }
    for (const std::int64_t year :
         {1, 9, 10, 99, 100, 101, 150, 999, 1000, 1582, 1900, 9999, 10000, 123456, 290000}) {
        add(year, 1, 1, 1);
        add(year, 10, 9, 45'296);
    }
    return times;
}

bool agrees_with_icu(date_shape& shape, const icu_date& icu) {
    rows::byte_buffer ours;
    for (const std::int64_t local : sample_times()) {
        ours.clear();
        const std::int64_t day = floor_div(local, micros_per_day);
        shape.set_day(day);
        const auto second = (local - day * micros_per_day) / micros_per_second;
        const text_flags flags = shape.write(ours, static_cast<unsigned>(second));
        if (ours.view() != icu.format_local(local)) return false;
        if (flags.needs_quotes != is_special_text(ours.view())) return false;
    }
    return true;
}

// A sign that format and format_local may differ by more than the time: the zone's name.
bool names_zone(const icu_date& icu) {
    bool quoted = false;
    for (const char c : icu.pattern()) {
        if (c == '\'')
            quoted = !quoted;
        else if (!quoted && std::string_view("zZOvVXx").find(c) != std::string_view::npos)
            return true;
    }
    return false;
}

}  // namespace

struct date_time_formatter::state {
    std::shared_ptr<const time_zone> zone;
    icu_date icu;
    bool zone_named = false;
    std::optional<date_shape> shape;  // null: every value through ICU

    // The day that the shape has, and the values on it: begin <= value < end. Instants and
    // local times have separate origins, so `of_local` tells which the values are.
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t midnight = 0;
    bool of_local = false;
    time_zone::interval interval{};

    bool find_day(std::int64_t value, bool local);
    text_flags write(rows::byte_buffer& out, std::int64_t value, bool local);
    text_flags write_through_icu(rows::byte_buffer& out, std::int64_t value, bool local) const;
};

// False for a day that the shape can't show: before the year 1.
bool date_time_formatter::state::find_day(std::int64_t value, bool local) {
    std::int64_t offset = 0;
    std::int64_t from = minus_infinity;
    std::int64_t to = plus_infinity;
    if (!local && zone) {
        if (!interval.contains(value)) interval = zone->at(value);
        offset = interval.offset;
        from = interval.begin;
        to = interval.end;
    }
    // Near the ends of what 64 bits count the offset could overflow.
    std::int64_t shown = 0;
    if (__builtin_add_overflow(value, offset, &shown)) return false;
    const std::int64_t day = floor_div(shown, micros_per_day);
    if (day < year_one || shown > plus_infinity - 2 * micros_per_day) return false;
    shape->set_day(day);
    midnight = day * micros_per_day - offset;
    begin = std::max(from, midnight);
    end = std::min(to, midnight + micros_per_day);
    of_local = local;
    return true;
}

text_flags date_time_formatter::state::write(rows::byte_buffer& out, std::int64_t value,
                                             bool local) {
    if (value >= begin && value < end && of_local == local) [[likely]] {
        const auto second = static_cast<std::uint64_t>(value - midnight) / micros_per_second;
        return shape->write(out, static_cast<unsigned>(second));
    }
    if (value == plus_infinity) return bare(out, "infinity");
    if (value == minus_infinity) return bare(out, "-infinity");
    if (!shape || !find_day(value, local)) return write_through_icu(out, value, local);
    const auto second = static_cast<std::uint64_t>(value - midnight) / micros_per_second;
    return shape->write(out, static_cast<unsigned>(second));
}

text_flags date_time_formatter::state::write_through_icu(rows::byte_buffer& out, std::int64_t value,
                                                         bool local) const {
    if (local) return checked(out, icu.format_local(value));
    if (zone_named || !zone) return checked(out, icu.format(value));
    std::int64_t shown = 0;
    if (__builtin_add_overflow(value, zone->at(value).offset, &shown)) shown = value;
    return checked(out, icu.format_local(shown));
}

std::unique_ptr<date_time_formatter> date_time_formatter::create(
    std::string_view locale, std::shared_ptr<const time_zone> zone, date_time_style date,
    date_time_style time) {
    if (date == date_time_style::none && time == date_time_style::none) {
        throw std::invalid_argument("a date format needs a style for the date or for the time");
    }
    const std::string id = icu_locale_id(locale, true);
    std::unique_ptr<state> s(
        new state{.zone = zone, .icu = icu_date(id, zone, date, time), .shape = {}});
    s->zone_named = names_zone(s->icu);
    if (s->icu.is_gregorian()) s->shape = date_shape::create(s->icu.pattern(), s->icu.symbols());
    if (s->shape && !agrees_with_icu(*s->shape, s->icu)) s->shape.reset();
    return std::unique_ptr<date_time_formatter>(new date_time_formatter(std::move(s)));
}

date_time_formatter::date_time_formatter(std::unique_ptr<state> s) : state_(std::move(s)) {
}
date_time_formatter::~date_time_formatter() = default;

text_flags date_time_formatter::append(rows::byte_buffer& out, std::int64_t utc) const {
    return state_->write(out, utc, false);
}

text_flags date_time_formatter::append_local(rows::byte_buffer& out, std::int64_t local) const {
    return state_->write(out, local, true);
}

text_flags date_time_formatter::append_date(rows::byte_buffer& out, std::int32_t days) const {
    if (days == std::numeric_limits<std::int32_t>::max()) return bare(out, "infinity");
    if (days == std::numeric_limits<std::int32_t>::min()) return bare(out, "-infinity");
    // PostgreSQL's dates reach the year 5874897, 64 bits of microseconds the year 294247.
    constexpr auto most = std::numeric_limits<std::int64_t>::max() / micros_per_day;
    if (days > most || days < -most) {
        append_iso_date(out, days);
        return {.fallback = true, .needs_quotes = false};
    }
    return state_->write(out, days * micros_per_day, true);
}

text_flags date_time_formatter::append_time(rows::byte_buffer& out, std::int64_t micros) const {
    if (micros == micros_per_day) return bare(out, "24:00:00");
    return state_->write(out, micros, true);
}

bool date_time_formatter::fast() const noexcept {
    return state_->shape.has_value();
}

csv_class date_time_formatter::quoting() const noexcept {
    return state_->shape ? state_->shape->quoting() : csv_class::may_need_quotes;
}

}  // namespace exportd::format
