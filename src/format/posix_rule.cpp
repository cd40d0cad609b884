#include "posix_rule.hpp"

#include "civil.hpp"

namespace exportd::format {

namespace {

constexpr std::int64_t seconds_per_day = 86400;

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) noexcept {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// Reads from the front of a text; a part that is not there leaves ok() false.
class reader {
public:
    explicit reader(std::string_view text) : rest_(text) {}

    bool ok() const noexcept { return ok_; }
    bool at_end() const noexcept { return rest_.empty(); }
    bool next_is(char c) const noexcept { return !rest_.empty() && rest_.front() == c; }

    bool skip(char c) noexcept {
        if (!next_is(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char c) noexcept { ok_ = skip(c) && ok_; }

    void name() noexcept {
        std::size_t n = 0;
        if (skip('<')) {
            while (n < rest_.size() && rest_[n] != '>')
                ++n;
            rest_.remove_prefix(n);
            expect('>');
        } else {
            while (n < rest_.size() && is_letter(rest_[n]))
                ++n;
            rest_.remove_prefix(n);
        }
        ok_ = ok_ && n >= 3;
    }

    unsigned number(unsigned least, unsigned most) noexcept {
        unsigned n = 0;
        std::size_t digits = 0;
        for (; !rest_.empty() && is_digit(rest_.front()) && digits < 4; ++digits) {
            n = n * 10 + static_cast<unsigned>(rest_.front() - '0');
            rest_.remove_prefix(1);
        }
        ok_ = ok_ && digits > 0 && n >= least && n <= most;
        return n;
    }

    // [+-]hh[:mm[:ss]] in seconds.
    std::int32_t time() noexcept {
        const bool negative = skip('-');
        if (!negative) skip('+');
        std::int32_t seconds = static_cast<std::int32_t>(number(0, 167)) * 3600;
        if (skip(':')) seconds += static_cast<std::int32_t>(number(0, 59)) * 60;
        if (skip(':')) seconds += static_cast<std::int32_t>(number(0, 59));
        return negative ? -seconds : seconds;
    }

    posix_rule::date date() noexcept {
        posix_rule::date d;
        expect(',');
        if (skip('M')) {
            d.month = number(1, 12);
            expect('.');
            d.week = number(1, 5);
            expect('.');
            d.day = number(0, 6);
        } else if (skip('J')) {
            d.what = posix_rule::date::kind::julian;
            d.day = number(1, 365);
        } else {
            d.what = posix_rule::date::kind::ordinal;
            d.day = number(0, 365);
        }
        if (skip('/')) d.seconds = time();
        return d;
    }

private:
    std::string_view rest_;
    bool ok_ = true;
};

std::int64_t day_of(const posix_rule::date& when, std::int64_t year) noexcept {
    const std::int64_t new_year = days_from_civil(year, 1, 1);
    switch (when.what) {
        case posix_rule::date::kind::ordinal:
            return new_year + when.day;
        case posix_rule::date::kind::julian: {
            const bool leap = days_from_civil(year + 1, 1, 1) - new_year == 366;
            return new_year + when.day - 1 + (leap && when.day >= 60 ? 1 : 0);
        }
        case posix_rule::date::kind::weekday:
            break;
    }
    const std::int64_t first = days_from_civil(year, when.month, 1);
    const std::int64_t next = when.month == 12 ? days_from_civil(year + 1, 1, 1)
                                               : days_from_civil(year, when.month + 1, 1);
    std::int64_t day = first + (when.day + 7 - weekday_from_days(first)) % 7 + 7 * (when.week - 1);
    if (day >= next) day -= 7;
    return day;
}

}  // namespace

std::optional<posix_rule> parse_posix_rule(std::string_view text) noexcept {
    reader in(text);
    posix_rule rule;
    in.name();
    rule.standard_offset = -in.time();  // POSIX counts west of Greenwich
    if (!in.ok()) return std::nullopt;
    if (in.at_end()) return rule;
    rule.has_daylight = true;
    in.name();
    rule.daylight_offset = in.next_is(',') ? rule.standard_offset + 3600 : -in.time();
    rule.daylight_begins = in.date();
    rule.daylight_ends = in.date();
    if (!in.ok() || !in.at_end()) return std::nullopt;
    return rule;
}

std::int64_t local_seconds(const posix_rule::date& when, std::int64_t year) noexcept {
    return day_of(when, year) * seconds_per_day + when.seconds;
}

}  // namespace exportd::format
