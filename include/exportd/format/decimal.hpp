#pragma once

#include <exportd/rows/byte_buffer.hpp>
#include <exportd/rows/wire.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace exportd::format {

// An exact decimal number of any size: a view of the bytes of a PostgreSQL numeric, or a scaled
// integer. Never goes through binary floating point. A view is valid as long as its bytes are.
struct decimal {
    enum class kind : std::uint8_t { finite, nan, infinity, negative_infinity };

    kind what = kind::finite;
    bool negative = false;
    std::uint16_t dscale = 0;  // digits after the point that the value is stored with
    // With `digits`: the number is the sum of digit(i) * 10000^(weight - i).
    std::int16_t weight = 0;
    std::uint16_t ndigits = 0;
    const char* digits = nullptr;  // base 10000, 16 bits each, big-endian
    // Without: the number is magnitude / 10^dscale.
    std::uint64_t magnitude = 0;

    static decimal from_int64(std::int64_t value) noexcept { return from_scaled(value, 0); }

    // unscaled / 10^scale, shown with `scale` digits after the point.
    static decimal from_scaled(std::int64_t unscaled, std::uint16_t scale) noexcept {
        decimal d;
        d.negative = unscaled < 0;
        d.dscale = scale;
        const auto bits = static_cast<std::uint64_t>(unscaled);
        d.magnitude = d.negative ? 0 - bits : bits;
        return d;
    }

    bool is_finite() const noexcept { return what == kind::finite; }

    // Precondition: i < ndigits.
    unsigned digit(unsigned i) const noexcept {
        const auto* at = reinterpret_cast<const unsigned char*>(digits) + std::size_t{2} * i;
        return static_cast<unsigned>(at[0] << 8 | at[1]);
    }
};

// Reads the layout of numeric_send (PostgreSQL, utils/adt/numeric.c). The result refers to
// `wire`. Null if that is not such a value.
inline std::optional<decimal> parse_numeric(std::string_view wire) noexcept;

// The text of numeric_out: all dscale digits, no exponent, NaN, Infinity, -Infinity.
void append_plain(rows::byte_buffer& out, const decimal& value);

// NaN or an infinity by the sign field of numeric_send; null if it is neither.
std::optional<decimal> special_numeric(std::uint16_t sign) noexcept;

// Here for each amount of each row.
inline std::optional<decimal> parse_numeric(std::string_view wire) noexcept {
    constexpr std::uint16_t sign_negative = 0x4000;
    constexpr std::uint16_t most_dscale = 0x3FFF;
    constexpr std::size_t header = 8;
    if (wire.size() < header) return std::nullopt;
    const auto fields = rows::load_big<std::uint64_t>(wire.data());
    const auto sign = static_cast<std::uint16_t>(fields >> 16U);
    decimal d;
    d.ndigits = static_cast<std::uint16_t>(fields >> 48U);
    d.weight = static_cast<std::int16_t>(fields >> 32U);
    d.dscale = static_cast<std::uint16_t>(fields);
    d.digits = wire.data() + header;
    if (wire.size() != header + std::size_t{2} * d.ndigits || d.dscale > most_dscale) {
        return std::nullopt;
    }
    bool in_range = true;
    for (unsigned i = 0; i < d.ndigits; ++i)
        in_range = in_range && d.digit(i) <= 9999;
    if (!in_range) return std::nullopt;
    if ((sign & ~sign_negative) != 0) return special_numeric(sign);
    d.negative = sign != 0;
    return d;
}

}  // namespace exportd::format
