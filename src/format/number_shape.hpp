#pragma once

#include <exportd/format/decimal.hpp>
#include <exportd/format/number.hpp>
#include <exportd/format/text.hpp>
#include <exportd/rows/byte_buffer.hpp>

#include "decimal_digits.hpp"
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace exportd::format {

// A few bytes that are copied whole, whatever their number: one store instead of a loop.
template <std::size_t Capacity>
struct piece {
    std::array<char, Capacity> bytes{};
    std::uint8_t size = 0;

    // False if it does not fit.
    bool assign(std::string_view text) noexcept {
        if (text.size() > Capacity) return false;
        bytes = {};
        std::memcpy(bytes.data(), text.data(), text.size());
        size = static_cast<std::uint8_t>(text.size());
        return true;
    }
    std::string_view view() const noexcept { return {bytes.data(), size}; }

    // Writes up to Capacity bytes at `out`; the end of those that count.
    char* put(char* out) const noexcept {
        std::memcpy(out, bytes.data(), Capacity);
        return out + size;
    }

    friend bool operator==(const piece&, const piece&) = default;
};

// Everything ICU does to the digits of a number in one locale (and currency).
struct number_shape {
    std::array<piece<32>, 2> prefix;  // [0] of numbers that are not negative, [1] of negative ones
    std::array<piece<32>, 2> suffix;
    piece<8> group;
    piece<8> point;
    std::array<piece<4>, 10> digits;
    std::uint8_t primary = 0;  // digits in the last group; 0: never grouped
    std::uint8_t secondary = 0;
    std::uint8_t min_grouping = 1;  // digits that the first group must have for any grouping
    // Derived by complete().
    bool plain_thousands = false;  // ASCII digits in groups of three
    bool group_is_special = false;
    bool point_is_special = false;
    std::array<bool, 2> affix_is_special{};

    void complete() noexcept;

    // Of numbers that may, or may not, have digits behind the point.
    csv_class quoting(bool always_fraction, bool ever_fraction) const noexcept;

    friend bool operator==(const number_shape&, const number_shape&) = default;
};

// Whether RFC 4180 wants this text quoted.
bool is_special_text(std::string_view text) noexcept;
// Whether it wants so for any text this is inside of.
bool has_special_char(std::string_view text) noexcept;

// Appends `scaled` / 10^fraction, with `fraction` (at most 19) digits behind the point.
text_flags write_scaled(const number_shape& shape, rows::byte_buffer& out, bool negative,
                        std::uint64_t scaled, unsigned fraction);

// The same for any size: `digits` as round_digits() leaves them.
text_flags write_digits(const number_shape& shape, rows::byte_buffer& out, bool negative,
                        std::string_view digits, std::size_t fraction);

// The long way of write_rounded().
text_flags write_long(const number_shape& shape, rows::byte_buffer& out, const decimal& value,
                      fraction_digits digits, std::string& scratch);

// Appends a finite number, rounded to digits.max, the short way if it is possible. `scratch` only
// keeps its storage.
inline text_flags write_rounded(const number_shape& shape, rows::byte_buffer& out,
                                const decimal& value, fraction_digits digits,
                                std::string& scratch) {
    auto fraction = static_cast<unsigned>(digits.max);
    std::uint64_t scaled = 0;
    if (fraction < powers_of_ten.size() && round_scaled(value, fraction, scaled)) [[likely]] {
        const auto least = static_cast<unsigned>(digits.min);
        for (; fraction > least && scaled % 10 == 0; --fraction)
            scaled /= 10;
        return write_scaled(shape, out, value.negative, scaled, fraction);
    }
    return write_long(shape, out, value, digits, scratch);
}

}  // namespace exportd::format
