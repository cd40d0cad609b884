#pragma once

#include <exportd/format/decimal.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace exportd::format {

// NaN, Infinity or -Infinity; empty for a finite number.
std::string_view special_text(decimal::kind what) noexcept;

// The number's digits, rounded half away from zero to `fraction` digits behind the point, and
// without zeros in front of the last one before the point. No sign, no point. Any size.
void round_digits(const decimal& value, std::size_t fraction, std::string& digits);

inline constexpr std::array<std::uint64_t, 20> powers_of_ten = [] {
    std::array<std::uint64_t, 20> powers{};
    std::uint64_t power = 1;
    for (auto& p : powers) {
        p = power;
        power *= 10;
    }
    return powers;
}();

template <unsigned Power>
inline std::uint64_t divide_half_up(std::uint64_t n) noexcept {
    constexpr std::uint64_t by = powers_of_ten[Power];
    return n / by + (n % by >= by / 2 ? 1U : 0U);
}

// n / 10^power, half away from zero. The usual powers are constants because dividing by one is
// several times cheaper.
inline std::uint64_t divide_half_up(std::uint64_t n, unsigned power) noexcept {
    switch (power) {
        case 0:
            return n;
        case 1:
            return divide_half_up<1>(n);
        case 2:
            return divide_half_up<2>(n);
        case 3:
            return divide_half_up<3>(n);
        case 4:
            return divide_half_up<4>(n);
        default:
            break;
    }
    // 2^64 is less than half of 10^20.
    if (power >= powers_of_ten.size()) return 0;
    const std::uint64_t by = powers_of_ten[power];
    return n / by + (n % by >= by / 2 ? 1U : 0U);
}

// The number's magnitude times 10^fraction, rounded half away from zero; false if the short way
// does not reach: too many digits.
inline bool round_scaled(const decimal& value, unsigned fraction, std::uint64_t& scaled) noexcept {
    std::uint64_t n = value.magnitude;
    int exponent = -static_cast<int>(value.dscale);
    if (value.digits != nullptr) {
        if (value.ndigits > 4) return false;
        n = 0;
        for (unsigned i = 0; i < value.ndigits; ++i)
            n = n * 10000 + value.digit(i);
        exponent = 4 * (value.weight - value.ndigits + 1);
    }
    if (n == 0) {
        scaled = 0;
        return true;
    }
    const int shift = exponent + static_cast<int>(fraction);
    if (shift < 0) {
        scaled = divide_half_up(n, static_cast<unsigned>(-shift));
        return true;
    }
    return shift <= 19 &&
           !__builtin_mul_overflow(n, powers_of_ten[static_cast<unsigned>(shift)], &scaled);
}

}  // namespace exportd::format
