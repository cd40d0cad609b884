#include <exportd/format/decimal.hpp>

#include "decimal_digits.hpp"
#include <algorithm>
#include <cstring>

namespace exportd::format {

namespace {

constexpr std::uint16_t sign_nan = 0xC000;
constexpr std::uint16_t sign_infinity = 0xD000;
constexpr std::uint16_t sign_negative_infinity = 0xF000;

void put_four(std::string& out, unsigned value) {
    const char four[4] = {
        static_cast<char>('0' + value / 1000), static_cast<char>('0' + value / 100 % 10),
        static_cast<char>('0' + value / 10 % 10), static_cast<char>('0' + value % 10)};
    out.append(four, 4);
}

void drop_leading_zeros(std::string& digits, std::size_t fraction) {
    const std::size_t integer = digits.size() - fraction;
    const std::size_t first = std::min(digits.find_first_not_of('0'), integer - 1);
    digits.erase(0, first);
}

// All digits of the number, with exactly `fraction` of them behind the point, cut off there.
// One more is returned: the first digit that was cut off.
char expand(const decimal& value, std::size_t fraction, std::string& digits) {
    digits.clear();
    std::size_t scale = 0;  // digits behind the point in `digits`
    if (value.digits == nullptr) {
        digits = std::to_string(value.magnitude);
        scale = value.dscale;
        if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
    } else {
        const int groups_before_point = std::max(value.weight + 1, 1);
        for (int i = value.weight - groups_before_point + 1; i < value.ndigits; ++i) {
            // The weight of a number below 1 is negative: it has empty groups in front.
            put_four(digits, i < 0 ? 0U : value.digit(static_cast<unsigned>(i)));
        }
        const auto before = static_cast<std::size_t>(groups_before_point) * 4;
        if (digits.size() < before) digits.append(before - digits.size(), '0');
        scale = digits.size() - before;
    }
    char cut = '0';
    if (scale < fraction) {
        digits.append(fraction - scale, '0');
    } else if (scale > fraction) {
        const std::size_t kept = digits.size() - (scale - fraction);
        cut = digits[kept];
        digits.resize(kept);
    }
    return cut;
}

}  // namespace

std::optional<decimal> special_numeric(std::uint16_t sign) noexcept {
    decimal d;
    switch (sign) {
        case sign_nan:
            d.what = decimal::kind::nan;
            return d;
        case sign_infinity:
            d.what = decimal::kind::infinity;
            return d;
        case sign_negative_infinity:
            d.what = decimal::kind::negative_infinity;
            return d;
        default:
            return std::nullopt;
    }
}

std::string_view special_text(decimal::kind what) noexcept {
    switch (what) {
        case decimal::kind::nan:
            return "NaN";
        case decimal::kind::infinity:
            return "Infinity";
        case decimal::kind::negative_infinity:
            return "-Infinity";
        case decimal::kind::finite:
            break;
    }
    return {};
}

void round_digits(const decimal& value, std::size_t fraction, std::string& digits) {
    const char cut = expand(value, fraction, digits);
    if (cut >= '5') {
        auto at = digits.rbegin();
        for (; at != digits.rend() && *at == '9'; ++at)
            *at = '0';
        if (at == digits.rend())
            digits.insert(digits.begin(), '1');
        else
            ++*at;
    }
    drop_leading_zeros(digits, fraction);
}

void append_plain(rows::byte_buffer& out, const decimal& value) {
    if (!value.is_finite()) return out.append(special_text(value.what));
    std::string digits;
    expand(value, value.dscale, digits);
    drop_leading_zeros(digits, value.dscale);
    const std::size_t integer = digits.size() - value.dscale;
    const bool zero = digits.find_first_not_of('0') == std::string::npos;
    char* at = out.ensure(digits.size() + 2);
    if (value.negative && !zero) *at++ = '-';
    std::memcpy(at, digits.data(), integer);
    at += integer;
    if (value.dscale != 0) {
        *at++ = '.';
        std::memcpy(at, digits.data() + integer, value.dscale);
        at += value.dscale;
    }
    out.commit(at);
}

}  // namespace exportd::format
