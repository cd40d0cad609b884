#include <exportd/exports/date_range.hpp>

#include <fmt/format.h>

#include <charconv>

namespace exportd::exports {
namespace {

using namespace std::chrono;

constexpr sys_days postgres_epoch{2000y / 1 / 1};

std::int64_t to_postgres(instant t) {
    return (t - postgres_epoch) / microseconds{1};
}
instant from_postgres(std::int64_t t) {
    return postgres_epoch + microseconds{t};
}

instant start_of_day(const year_month_day& date, const format::time_zone& zone) {
    const auto day = (sys_days{date} - postgres_epoch).count();
    return from_postgres(zone.start_of_day(static_cast<std::int32_t>(day)));
}

instant to_local(instant t, const format::time_zone& zone) {
    return from_postgres(zone.to_local(to_postgres(t)));
}

// Eats fixed-width fields from the front of a text.
class field_reader {
public:
    explicit field_reader(std::string_view text) : text_{text} {}

    bool digits(std::size_t width, int& value) {
        if (text_.size() < width) return false;
        value = 0;
        for (const char c : text_.substr(0, width)) {
            if (c < '0' || c > '9') return false;
            value = value * 10 + (c - '0');
        }
        text_.remove_prefix(width);
        return true;
    }

    bool any_of(std::string_view characters, char& found) {
        if (text_.empty() || characters.find(text_.front()) == std::string_view::npos) return false;
        found = text_.front();
        text_.remove_prefix(1);
        return true;
    }

    bool literal(char c) {
        char found = 0;
        return any_of({&c, 1}, found);
    }

    bool at_end() const { return text_.empty(); }

private:
    std::string_view text_;
};

bool read_date(field_reader& in, year_month_day& date) {
    int y = 0;
    int m = 0;
    int d = 0;
    if (!(in.digits(4, y) && in.literal('-') && in.digits(2, m) && in.literal('-') &&
          in.digits(2, d))) {
        return false;
    }
    date = year{y} / month{static_cast<unsigned>(m)} / day{static_cast<unsigned>(d)};
    return y > 0 && date.ok();
}

// The fraction's digits, rounded up to microseconds. There has to be at least one digit.
bool read_fraction(field_reader& in, microseconds& fraction) {
    std::int64_t micros = 0;
    bool finer = false;
    int count = 0;
    for (int digit = 0; in.digits(1, digit); ++count) {
        if (count < 6) {
            micros = micros * 10 + digit;
        } else {
            finer = finer || digit != 0;
        }
    }
    for (int i = count; i < 6; ++i)
        micros *= 10;
    fraction = microseconds{micros + (finer ? 1 : 0)};
    return count > 0;
}

bool read_time(field_reader& in, microseconds& since_midnight) {
    int h = 0;
    int m = 0;
    int s = 0;
    if (!(in.digits(2, h) && in.literal(':') && in.digits(2, m) && in.literal(':') &&
          in.digits(2, s))) {
        return false;
    }
    microseconds fraction{0};
    if (in.literal('.') && !read_fraction(in, fraction)) return false;
    since_midnight = hours{h} + minutes{m} + seconds{s} + fraction;
    return h <= 23 && m <= 59 && s <= 60;
}

bool read_offset(field_reader& in, minutes& offset) {
    char sign = 0;
    offset = minutes{0};
    if (in.any_of("Zz", sign)) return true;
    int h = 0;
    int m = 0;
    if (!(in.any_of("+- ", sign) && in.digits(2, h) && in.literal(':') && in.digits(2, m)))
        return false;
    offset = hours{h} + minutes{m};
    if (sign == '-') offset = -offset;
    return h <= 23 && m <= 59;
}

// Splits an instant into the civil fields that all texts below are made of.
struct civil {
    explicit civil(sys_time<microseconds> t)
        : date{floor<days>(t)}, time{floor<microseconds>(t) - floor<days>(t)} {}
    year_month_day date;
    hh_mm_ss<microseconds> time;
};

std::string iso_date(const year_month_day& date) {
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string iso_time(const hh_mm_ss<microseconds>& time, char separator) {
    auto text = fmt::format("{:02}{}{:02}{}{:02}", time.hours().count(), separator,
                            time.minutes().count(), separator, time.seconds().count());
    if (time.subseconds().count() != 0) text += fmt::format(".{:06}", time.subseconds().count());
    return text;
}

}  // namespace

std::optional<instant> parse_instant(std::string_view text, const format::time_zone& zone) {
    field_reader in{text};
    year_month_day date;
    if (!read_date(in, date)) return std::nullopt;
    if (in.at_end()) return start_of_day(date, zone);

    char separator = 0;
    microseconds time{0};
    minutes offset{0};
    if (!(in.any_of("Tt ", separator) && read_time(in, time) && read_offset(in, offset) &&
          in.at_end())) {
        return std::nullopt;
    }
    return instant{sys_days{date}} + time - offset;
}

std::string to_rfc3339(instant t) {
    const civil c{t};
    return iso_date(c.date) + 'T' + iso_time(c.time, ':') + 'Z';
}

std::string to_parameter(instant t) {
    // Shifting by an offset can leave the years that have four digits; PostgreSQL writes year 0
    // as 1 BC.
    const civil c{t};
    if (c.date.year() >= year{1}) return iso_date(c.date) + ' ' + iso_time(c.time, ':') + "+00";
    const year_month_day before{year{1 - static_cast<int>(c.date.year())}, c.date.month(),
                                c.date.day()};
    return iso_date(before) + ' ' + iso_time(c.time, ':') + "+00 BC";
}

std::string to_file_name_part(instant t, const format::time_zone& zone) {
    const civil local{to_local(t, zone)};
    auto text = iso_date(local.date);
    if (local.time.to_duration() != microseconds{0} && start_of_day(local.date, zone) != t) {
        text += 'T' + iso_time(local.time, '-');
    }
    return text;
}

days calendar_days(const date_range& range, const format::time_zone& zone) {
    return ceil<days>(to_local(range.to, zone) - to_local(range.from, zone));
}

}  // namespace exportd::exports
