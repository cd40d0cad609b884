#include "icu_number.hpp"

#include <unicode/formattedvalue.h>
#include <unicode/numberformatter.h>
#include <unicode/ucurr.h>
#include <unicode/uenum.h>
#include <unicode/unum.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace exportd::format {

namespace number = icu::number;

namespace {

void check(UErrorCode status, const char* doing) {
    if (U_FAILURE(status)) {
        throw std::runtime_error(std::string("ICU: ") + doing + ": " + u_errorName(status));
    }
}

std::string utf8(const icu::UnicodeString& text) {
    std::string out;
    text.toUTF8String(out);
    return out;
}

// A formatted number and where its parts are, in UTF-16 units.
struct parts {
    icu::UnicodeString text;
    std::int32_t integer_begin = -1;
    std::int32_t integer_end = -1;
    std::int32_t number_end = -1;  // of the last digit
    std::string point;
    std::vector<std::pair<std::int32_t, std::int32_t>> groups;
};

std::optional<parts> format_parts(const number::LocalizedNumberFormatter& formatter,
                                  std::string_view digits) {
    UErrorCode status = U_ZERO_ERROR;
    const number::FormattedNumber formatted = formatter.formatDecimal(
        icu::StringPiece(digits.data(), static_cast<int>(digits.size())), status);
    parts p;
    p.text = formatted.toString(status);
    icu::ConstrainedFieldPosition at;
    at.constrainCategory(UFIELD_CATEGORY_NUMBER);
    while (formatted.nextPosition(at, status)) {
        const std::int32_t begin = at.getStart();
        const std::int32_t end = at.getLimit();
        switch (at.getField()) {
            case UNUM_INTEGER_FIELD:
                p.integer_begin = begin, p.integer_end = end;
                break;
            case UNUM_FRACTION_FIELD:
                p.number_end = end;
                break;
            case UNUM_DECIMAL_SEPARATOR_FIELD:
                p.point = utf8(p.text.tempSubStringBetween(begin, end));
                break;
            case UNUM_GROUPING_SEPARATOR_FIELD:
                p.groups.emplace_back(begin, end);
                break;
            default:
                break;
        }
    }
    if (U_FAILURE(status) || p.integer_begin < 0) return std::nullopt;
    p.number_end = std::max(p.number_end, p.integer_end);
    std::sort(p.groups.begin(), p.groups.end());
    return p;
}

// The probe has every digit at a known place and is long enough for three groups of four.
constexpr std::string_view probe = "1234567890123456789";

// The code points of the digits before the point, without the separators.
std::vector<std::string> integer_digits(const parts& p) {
    std::vector<std::string> digits;
    for (std::int32_t i = p.integer_begin; i < p.integer_end;) {
        const auto group = std::find_if(p.groups.begin(), p.groups.end(),
                                        [i](const auto& g) { return g.first == i; });
        if (group != p.groups.end()) {
            i = group->second;
            continue;
        }
        const std::int32_t next = p.text.moveIndex32(i, 1);
        digits.push_back(utf8(p.text.tempSubStringBetween(i, next)));
        i = next;
    }
    return digits;
}

// The sizes of the last and the other groups.
bool learn_groups(const parts& p, std::size_t digit_units, number_shape& shape) {
    if (p.groups.empty()) return true;
    const auto units = static_cast<std::int32_t>(digit_units);
    shape.primary = static_cast<std::uint8_t>((p.integer_end - p.groups.back().second) / units);
    shape.secondary = shape.primary;
    if (p.groups.size() > 1) {
        const auto& last = p.groups.back();
        const auto& before = p.groups[p.groups.size() - 2];
        shape.secondary = static_cast<std::uint8_t>((last.first - before.second) / units);
    }
    const auto& g = p.groups.front();
    return shape.primary != 0 && shape.secondary != 0 &&
           shape.group.assign(utf8(p.text.tempSubStringBetween(g.first, g.second)));
}

bool learn_affixes(const parts& p, std::size_t negative, number_shape& shape) {
    return shape.prefix[negative].assign(utf8(p.text.tempSubStringBetween(0, p.integer_begin))) &&
           shape.suffix[negative].assign(utf8(p.text.tempSubString(p.number_end)));
}

}  // namespace

struct icu_number::formatter {
    number::LocalizedNumberFormatter format;
};

icu_number::icu_number(const options& wanted) {
    UErrorCode status = U_ZERO_ERROR;
    auto format = number::NumberFormatter::withLocale(icu::Locale(wanted.locale.c_str()))
                      .roundingMode(UNUM_ROUND_HALFUP)
                      .sign(UNUM_SIGN_NEGATIVE);
    if (wanted.digits) {
        digits_ = *wanted.digits;
    } else if (wanted.currency.empty()) {
        own_scale_ = true;
        digits_ = {2, 2};
    }
    if (!wanted.currency.empty()) {
        const icu::CurrencyUnit unit(icu::StringPiece(wanted.currency), status);
        if (!wanted.digits) {
            digits_.max = ucurr_getDefaultFractionDigits(unit.getISOCurrency(), &status);
            digits_.min = digits_.max;
        }
        format = format.unit(unit);
    }
    check(status, "currency");
    format = format.precision(number::Precision::minMaxFraction(digits_.min, digits_.max));
    formatter_ = std::make_unique<formatter>(formatter{std::move(format)});
}

icu_number::icu_number(icu_number&&) noexcept = default;
icu_number& icu_number::operator=(icu_number&&) noexcept = default;
icu_number::~icu_number() = default;

std::string icu_number::format(const decimal& value) const {
    rows::byte_buffer plain;
    append_plain(plain, value);
    const icu::StringPiece digits(plain.data(), static_cast<int>(plain.size()));
    constexpr int most_digits = 999;  // that ICU takes
    UErrorCode status = U_ZERO_ERROR;
    std::string text;
    if (own_scale_) {
        const auto precision =
            value.dscale > most_digits
                ? number::Precision::unlimited()
                : number::Precision(number::Precision::fixedFraction(value.dscale));
        formatter_->format.precision(precision)
            .formatDecimal(digits, status)
            .toString(status)
            .toUTF8String(text);
    } else {
        formatter_->format.formatDecimal(digits, status).toString(status).toUTF8String(text);
    }
    check(status, "number");
    return text;
}

std::optional<number_shape> icu_number::learn_shape() const {
    const auto& format = formatter_->format;
    const bool always_fraction = digits_.min > 0;
    // With a fraction wherever there can be one, to see the point and what follows it.
    const std::string with_fraction =
        std::string(probe) + (digits_.max > 0 && !always_fraction ? ".1" : "");
    const auto positive = format_parts(format, with_fraction);
    const auto negative = format_parts(format, "-" + with_fraction);
    if (!positive || !negative) return std::nullopt;

    number_shape shape;
    const std::vector<std::string> digits = integer_digits(*positive);
    if (digits.size() != probe.size()) return std::nullopt;
    for (std::size_t i = 0; i < 10; ++i) {
        if (!shape.digits[(i + 1) % 10].assign(digits[i])) return std::nullopt;
    }
    const std::size_t units =
        static_cast<std::size_t>(icu::UnicodeString::fromUTF8(digits[0]).length());
    if (!shape.point.assign(positive->point) || !learn_groups(*positive, units, shape) ||
        !learn_affixes(*positive, 0, shape) || !learn_affixes(*negative, 1, shape)) {
        return std::nullopt;
    }
    for (; shape.primary != 0 && shape.min_grouping < 4; ++shape.min_grouping) {
        const std::size_t count = std::size_t{shape.primary} + shape.min_grouping;
        const auto p = format_parts(format, probe.substr(0, count));
        if (!p) return std::nullopt;
        if (!p->groups.empty()) break;
    }
    shape.complete();
    return shape;
}

std::vector<std::string> icu_currencies() {
    UErrorCode status = U_ZERO_ERROR;
    std::set<std::string> codes{"XXX"};
    const std::unique_ptr<UEnumeration, decltype(&uenum_close)> known(
        ucurr_openISOCurrencies(UCURR_ALL, &status), &uenum_close);
    check(status, "currencies");
    while (const char* code = uenum_next(known.get(), nullptr, &status))
        codes.insert(code);
    return {codes.begin(), codes.end()};
}

}  // namespace exportd::format
