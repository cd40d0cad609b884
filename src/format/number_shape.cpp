#include "number_shape.hpp"

#include "decimal_digits.hpp"
#include <algorithm>

namespace exportd::format {

namespace {

constexpr std::array<std::array<char, 4>, 1000> three_digits = [] {
    std::array<std::array<char, 4>, 1000> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = {static_cast<char>('0' + i / 100), static_cast<char>('0' + i / 10 % 10),
                    static_cast<char>('0' + i % 10), '\0'};
    }
    return table;
}();

// The same without zeros in front.
constexpr std::array<std::array<char, 4>, 1000> three_digits_aligned = [] {
    std::array<std::array<char, 4>, 1000> table = three_digits;
    for (std::size_t i = 0; i < 100; ++i) {
        const std::size_t zeros = i < 10 ? 2 : 1;
        std::copy(three_digits[i].begin() + zeros, three_digits[i].end(), table[i].begin());
    }
    return table;
}();

// Room for one number: affixes, and each digit followed by a separator.
std::size_t bound(std::size_t digits) noexcept {
    return 4 * 32 + digits * (4 + 8) + 16;
}

bool is_ascii(const number_shape& shape) noexcept {
    for (std::size_t i = 0; i < 10; ++i) {
        if (shape.digits[i].view() != std::string_view("0123456789").substr(i, 1)) return false;
    }
    return true;
}

// The first group, without zeros in front. Its width must not cost a branch: it is as random
// as the numbers are.
char* put_first_group(char* out, unsigned n, unsigned& width) noexcept {
    width = 1U + (n >= 10 ? 1U : 0U) + (n >= 100 ? 1U : 0U);
    std::uint32_t digits = 0;
    std::memcpy(&digits, three_digits_aligned[n].data(), 4);
    std::memcpy(out, &digits, 4);
    return out + width;
}

char* put_group(char* out, std::uint64_t n) noexcept {
    std::memcpy(out, three_digits[n].data(), 4);
    return out + 3;
}

// The digits before the point in groups of three; `grouped` tells whether there is a separator.
char* put_thousands(const number_shape& shape, char* out, std::uint64_t n, bool& grouped) {
    unsigned width = 0;
    if (n < 1000) {
        grouped = false;
        return put_first_group(out, static_cast<unsigned>(n), width);
    }
    if (n < 1'000'000) {
        out = put_first_group(out, static_cast<unsigned>(n / 1000), width);
        grouped = width >= shape.min_grouping;
        if (grouped) out = shape.group.put(out);
        return put_group(out, n % 1000);
    }
    std::array<std::uint16_t, 7> groups;
    std::size_t count = 0;
    for (; n != 0; n /= 1000)
        groups[count++] = static_cast<std::uint16_t>(n % 1000);
    grouped = true;  // no locale wants more than four digits in front for that
    out = put_first_group(out, groups[--count], width);
    while (count != 0)
        out = put_group(shape.group.put(out), groups[--count]);
    return out;
}

char* put_ascii_fraction(char* out, std::uint64_t n, unsigned digits) noexcept {
    if (digits == 2) {
        std::memcpy(out, three_digits[n].data() + 1, 2);
        return out + 2;
    }
    for (unsigned i = digits; i != 0; --i) {
        out[i - 1] = static_cast<char>('0' + n % 10);
        n /= 10;
    }
    return out + digits;
}

text_flags flags_of(const number_shape& shape, bool negative, bool grouped, bool fraction) {
    return {.fallback = false,
            .needs_quotes = shape.affix_is_special[negative ? 1 : 0] ||
                            (grouped && shape.group_is_special) ||
                            (fraction && shape.point_is_special)};
}

void split(std::uint64_t n, unsigned fraction, std::uint64_t& whole, std::uint64_t& rest) noexcept {
    switch (fraction) {
        case 0:
            whole = n, rest = 0;
            break;
        case 2:
            whole = n / 100, rest = n % 100;
            break;
        case 3:
            whole = n / 1000, rest = n % 1000;
            break;
        default:
            whole = n / powers_of_ten[fraction], rest = n % powers_of_ten[fraction];
            break;
    }
}

}  // namespace

bool has_special_char(std::string_view text) noexcept {
    return text.find_first_of(",\"\r\n") != std::string_view::npos;
}

bool is_special_text(std::string_view text) noexcept {
    return has_special_char(text) || text.starts_with(' ') || text.ends_with(' ');
}

void number_shape::complete() noexcept {
    plain_thousands = primary == 3 && secondary == 3 && is_ascii(*this);
    group_is_special = has_special_char(group.view());
    point_is_special = has_special_char(point.view());
    for (std::size_t i = 0; i < 2; ++i) {
        affix_is_special[i] = has_special_char(prefix[i].view()) ||
                              has_special_char(suffix[i].view()) ||
                              prefix[i].view().starts_with(' ') || suffix[i].view().ends_with(' ');
    }
}

csv_class number_shape::quoting(bool always_fraction, bool ever_fraction) const noexcept {
    if ((affix_is_special[0] && affix_is_special[1]) || (always_fraction && point_is_special)) {
        return csv_class::always_needs_quotes;
    }
    const bool ever = affix_is_special[0] || affix_is_special[1] || group_is_special ||
                      (ever_fraction && point_is_special);
    return ever ? csv_class::may_need_quotes : csv_class::never_needs_quotes;
}

text_flags write_scaled(const number_shape& shape, rows::byte_buffer& out, bool negative,
                        std::uint64_t scaled, unsigned fraction) {
    if (!shape.plain_thousands) {
        std::array<char, 40> digits;
        char* at = digits.data() + digits.size();
        std::uint64_t rest = scaled;
        for (unsigned n = 0; rest != 0 || n <= fraction; ++n) {
            *--at = static_cast<char>('0' + rest % 10);
            rest /= 10;
        }
        const auto size = static_cast<std::size_t>(digits.data() + digits.size() - at);
        return write_digits(shape, out, negative, {at, size}, fraction);
    }
    negative = negative && scaled != 0;
    std::uint64_t whole = 0;
    std::uint64_t rest = 0;
    split(scaled, fraction, whole, rest);
    bool grouped = false;
    char* at = out.ensure(bound(20 + fraction));
    at = shape.prefix[negative ? 1 : 0].put(at);
    at = put_thousands(shape, at, whole, grouped);
    if (fraction != 0) {
        at = shape.point.put(at);
        at = put_ascii_fraction(at, rest, fraction);
    }
    at = shape.suffix[negative ? 1 : 0].put(at);
    out.commit(at);
    return flags_of(shape, negative, grouped, fraction != 0);
}

text_flags write_digits(const number_shape& shape, rows::byte_buffer& out, bool negative,
                        std::string_view digits, std::size_t fraction) {
    negative = negative && digits.find_first_not_of('0') != std::string_view::npos;
    const std::size_t integer = digits.size() - fraction;
    const bool grouped =
        shape.primary != 0 && integer >= std::size_t{shape.primary} + shape.min_grouping;
    char* at = out.ensure(bound(digits.size()));
    at = shape.prefix[negative ? 1 : 0].put(at);
    for (std::size_t i = 0; i < integer; ++i) {
        at = shape.digits[static_cast<std::size_t>(digits[i] - '0')].put(at);
        const std::size_t left = integer - 1 - i;
        if (!grouped || left < shape.primary) continue;
        if ((left - shape.primary) % shape.secondary == 0) at = shape.group.put(at);
    }
    if (fraction != 0) {
        at = shape.point.put(at);
        for (std::size_t i = integer; i < digits.size(); ++i) {
            at = shape.digits[static_cast<std::size_t>(digits[i] - '0')].put(at);
        }
    }
    at = shape.suffix[negative ? 1 : 0].put(at);
    out.commit(at);
    return flags_of(shape, negative, grouped, fraction != 0);
}

text_flags write_long(const number_shape& shape, rows::byte_buffer& out, const decimal& value,
                      fraction_digits digits, std::string& scratch) {
    auto fraction = static_cast<unsigned>(digits.max);
    round_digits(value, fraction, scratch);
    const auto least = static_cast<unsigned>(digits.min);
    for (; fraction > least && scratch.back() == '0'; --fraction)
        scratch.pop_back();
    return write_digits(shape, out, value.negative, scratch, fraction);
}

}  // namespace exportd::format
