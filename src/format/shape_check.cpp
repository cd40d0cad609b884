#include "shape_check.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace exportd::format {

namespace {

// 12345678901234567890123456.7894 as numeric_send writes it: more than 64 bits hold.
constexpr std::array<char, 24> wide_numeric = {0,  8,      0,  6,      0,  0,      0,  4,
                                               0,  12,     13, '\x80', 30, '\xd2', 3,  21,
                                               26, '\x85', 9,  '\x29', 13, '\x80', 30, '\xd6'};

std::vector<decimal> few_values() {
    return {decimal::from_scaled(0, 0), decimal::from_scaled(-1, 4),
            decimal::from_scaled(12345678995, 4), decimal::from_scaled(-12345678995, 4)};
}

std::vector<decimal> many_values() {
    std::vector<decimal> values = few_values();
    std::int64_t nines = 0;
    for (int digits = 0; digits < 18; ++digits) {
        nines = nines * 10 + 9;
        for (const std::int64_t n : {nines, nines + 1, nines / 9 * 4 + 1}) {
            values.push_back(decimal::from_scaled(n, 0));
            values.push_back(decimal::from_scaled(-n, 0));
        }
        // Above, at and below the half, at each number of digits.
        for (const std::int64_t n : {nines / 9 * 5, nines / 9 * 4, (nines + 1) / 2}) {
            values.push_back(decimal::from_scaled(n, static_cast<std::uint16_t>(digits)));
            values.push_back(decimal::from_scaled(-n, static_cast<std::uint16_t>(digits / 2)));
        }
    }
    if (auto wide = parse_numeric({wide_numeric.data(), wide_numeric.size()})) {
        values.push_back(*wide);
        wide->negative = true;
        values.push_back(*wide);
    }
    return values;
}

}  // namespace

bool agrees_with_icu(const number_shape& shape, const icu_number& icu, bool own_scale,
                     thoroughness how) {
    const auto values = how == thoroughness::affixes ? few_values() : many_values();
    rows::byte_buffer ours;
    std::string scratch;
    return std::all_of(values.begin(), values.end(), [&](const decimal& value) {
        const fraction_digits digits =
            own_scale ? fraction_digits{value.dscale, value.dscale} : icu.digits();
        ours.clear();
        const text_flags flags = write_rounded(shape, ours, value, digits, scratch);
        return ours.view() == icu.format(value) &&
               flags.needs_quotes == is_special_text(ours.view());
    });
}

text_flags write_through_icu(const icu_number& icu, rows::byte_buffer& out, const decimal& value) {
    const std::string text = icu.format(value);
    out.append(text);
    return {.fallback = false, .needs_quotes = is_special_text(text)};
}

}  // namespace exportd::format
