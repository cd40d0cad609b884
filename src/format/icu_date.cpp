#include "icu_date.hpp"

#include <unicode/dtfmtsym.h>
#include <unicode/dtptngen.h>
#include <unicode/gregocal.h>
#include <unicode/numfmt.h>
#include <unicode/smpdtfmt.h>

#include "civil.hpp"
#include "icu_zone.hpp"
#include <stdexcept>

namespace exportd::format {

namespace {

void check(UErrorCode status, const char* doing) {
    if (U_FAILURE(status)) {
        throw std::runtime_error(std::string("ICU: ") + doing + ": " + u_errorName(status));
    }
}

// V8 prints the narrow no-break space, which newer CLDR puts before AM and PM, as a space.
std::string utf8(icu::UnicodeString text) {
    text.findAndReplace(icu::UnicodeString(char16_t{0x202F}), icu::UnicodeString(u' '));
    std::string out;
    text.toUTF8String(out);
    return out;
}

icu::DateFormat::EStyle icu_style(date_time_style style) noexcept {
    switch (style) {
        case date_time_style::none:
            return icu::DateFormat::kNone;
        case date_time_style::short_form:
            return icu::DateFormat::kShort;
        case date_time_style::medium:
            return icu::DateFormat::kMedium;
        case date_time_style::long_form:
            return icu::DateFormat::kLong;
        case date_time_style::full:
            return icu::DateFormat::kFull;
    }
    return icu::DateFormat::kNone;
}

using date_format = std::unique_ptr<icu::SimpleDateFormat>;

date_format by_style(const icu::Locale& locale, date_time_style date, date_time_style time) {
    std::unique_ptr<icu::DateFormat> made(
        icu::DateFormat::createDateTimeInstance(icu_style(date), icu_style(time), locale));
    date_format result(dynamic_cast<icu::SimpleDateFormat*>(made.get()));
    if (!result) throw std::runtime_error("ICU has no date format for this locale");
    made.release();
    return result;
}

constexpr bool is_hour(char16_t c) noexcept {
    return c == u'H' || c == u'h' || c == u'K' || c == u'k';
}

// Calls `see` for each hour letter outside of quotes.
template <class Function>
void for_each_hour(icu::UnicodeString& pattern, Function see) {
    bool quoted = false;
    for (std::int32_t i = 0; i < pattern.length(); ++i) {
        if (pattern[i] == u'\'')
            quoted = !quoted;
        else if (!quoted && is_hour(pattern[i]))
            see(i);
    }
}

char16_t hour_letter(UDateFormatHourCycle cycle) noexcept {
    switch (cycle) {
        case UDAT_HOUR_CYCLE_11:
            return u'K';
        case UDAT_HOUR_CYCLE_12:
            return u'h';
        case UDAT_HOUR_CYCLE_23:
            return u'H';
        case UDAT_HOUR_CYCLE_24:
            return u'k';
    }
    return u'H';
}

// The hour cycle that Intl resolves: the locale's `hc` extension, or its default.
char16_t wanted_hour(const icu::Locale& locale, const icu::DateTimePatternGenerator& generator) {
    UErrorCode status = U_ZERO_ERROR;
    const auto extension = locale.getUnicodeKeywordValue<std::string>("hc", status);
    if (U_SUCCESS(status)) {
        if (extension == "h11") return u'K';
        if (extension == "h12") return u'h';
        if (extension == "h23") return u'H';
        if (extension == "h24") return u'k';
    }
    status = U_ZERO_ERROR;
    const char16_t letter = hour_letter(generator.getDefaultHourCycle(status));
    check(status, "hour cycle");
    return letter;
}

// Where the hour cycle of a style is not the one Intl resolves, V8 takes another pattern with
// the same fields.
void use_hour_cycle(icu::SimpleDateFormat& format, const icu::Locale& locale) {
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<icu::DateTimePatternGenerator> generator(
        icu::DateTimePatternGenerator::createInstance(locale, status));
    check(status, "date patterns");
    const char16_t wanted = wanted_hour(locale, *generator);
    icu::UnicodeString pattern;
    format.toPattern(pattern);
    char16_t found = 0;
    for_each_hour(pattern, [&](std::int32_t i) { found = pattern[i]; });
    if (found == 0 || found == wanted) return;

    icu::UnicodeString skeleton = icu::DateTimePatternGenerator::staticGetSkeleton(pattern, status);
    for_each_hour(skeleton, [&](std::int32_t i) { skeleton.setCharAt(i, wanted); });
    pattern = generator->getBestPattern(skeleton, status);
    check(status, "date pattern");
    for_each_hour(pattern, [&](std::int32_t i) { pattern.setCharAt(i, wanted); });
    format.applyPattern(pattern);
}

bool is_plain_gregorian(const icu::Calendar& calendar) {
    return calendar.getDynamicClassID() == icu::GregorianCalendar::getStaticClassID();
}

void set_calendar(icu::SimpleDateFormat& format, const icu::Locale& locale,
                  std::unique_ptr<icu::TimeZone> zone) {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::Calendar> calendar(
        icu::Calendar::createInstance(zone.release(), locale, status));
    check(status, "calendar");
    if (is_plain_gregorian(*calendar)) {
        constexpr double start_of_ecmascript_time = -8.64e15;
        static_cast<icu::GregorianCalendar&>(*calendar).setGregorianChange(start_of_ecmascript_time,
                                                                           status);
        check(status, "calendar");
    }
    format.adoptCalendar(calendar.release());
}

std::string format_with(const icu::SimpleDateFormat& format, std::int64_t micros) {
    constexpr std::int64_t unix_epoch_millis = 946'684'800'000;
    const std::int64_t millis = floor_div(micros, 1000) + unix_epoch_millis;
    icu::UnicodeString text;
    format.format(static_cast<UDate>(millis), text);
    return utf8(std::move(text));
}

date_symbols::words words(const icu::UnicodeString* from, std::int32_t count, std::int32_t first) {
    date_symbols::words result;
    for (std::int32_t i = first; i < count; ++i)
        result.push_back(utf8(from[i]));
    return result;
}

}  // namespace

struct icu_date::formatters {
    date_format zoned;
    date_format local;  // in UTC
};

icu_date::icu_date(const std::string& locale_id, std::shared_ptr<const time_zone> zone,
                   date_time_style date, date_time_style time)
    : formatters_(std::make_unique<formatters>()) {
    const icu::Locale locale(locale_id.c_str());
    formatters_->local = by_style(locale, date, time);
    if (time != date_time_style::none) use_hour_cycle(*formatters_->local, locale);
    formatters_->zoned.reset(formatters_->local->clone());
    const auto utc = [] {
        return std::unique_ptr<icu::TimeZone>(icu::TimeZone::createTimeZone("UTC"));
    };
    set_calendar(*formatters_->local, locale, utc());
    set_calendar(*formatters_->zoned, locale, zone ? make_icu_zone(std::move(zone)) : utc());
}

icu_date::~icu_date() = default;

std::string icu_date::format(std::int64_t utc) const {
    return format_with(*formatters_->zoned, utc);
}

std::string icu_date::format_local(std::int64_t local) const {
    return format_with(*formatters_->local, local);
}

bool icu_date::is_gregorian() const {
    return is_plain_gregorian(*formatters_->local->getCalendar());
}

std::string icu_date::pattern() const {
    icu::UnicodeString pattern;
    return utf8(formatters_->local->toPattern(pattern));
}

date_symbols icu_date::symbols() const {
    using icu::DateFormatSymbols;
    const DateFormatSymbols& from = *formatters_->local->getDateFormatSymbols();
    constexpr std::array widths{DateFormatSymbols::WIDE, DateFormatSymbols::ABBREVIATED,
                                DateFormatSymbols::NARROW, DateFormatSymbols::SHORT};
    const auto months = [&](auto context, auto width) {
        std::int32_t count = 0;
        const auto* names = from.getMonths(count, context, width);
        return words(names, count, 0);
    };
    const auto weekdays = [&](auto context, auto width) {
        std::int32_t count = 0;
        const auto* names = from.getWeekdays(count, context, width);
        return words(names, count, 1);
    };
    date_symbols s;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        s.weekdays[i] = weekdays(DateFormatSymbols::FORMAT, widths[i]);
        s.weekdays_alone[i] = weekdays(DateFormatSymbols::STANDALONE, widths[i]);
        if (i == s.months.size()) break;
        s.months[i] = months(DateFormatSymbols::FORMAT, widths[i]);
        s.months_alone[i] = months(DateFormatSymbols::STANDALONE, widths[i]);
    }
    std::int32_t count = 0;
    const auto* periods = from.getAmPmStrings(count);
    s.periods[0] = words(periods, count, 0);
    const auto last = [](const icu::UnicodeString* names, std::int32_t n) {
        return n > 1 ? utf8(names[1]) : std::string{};
    };
    const auto* eras = from.getEraNames(count);
    s.era[0] = last(eras, count);
    eras = from.getEras(count);
    s.era[1] = last(eras, count);
    eras = from.getNarrowEras(count);
    s.era[2] = last(eras, count);
    for (std::size_t i = 0; i < 10; ++i) {
        icu::UnicodeString digit;
        formatters_->local->getNumberFormat()->format(static_cast<std::int32_t>(i), digit);
        s.digits[i] = utf8(digit);
    }
    return s;
}

}  // namespace exportd::format
