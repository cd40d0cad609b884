#include <exportd/format/iso.hpp>
#include <exportd/rows/wire.hpp>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace exportd::format {

namespace {

// Room for any shortest scientific text.
using scratch = std::array<char, 64>;

std::string_view view_of(const scratch& s, const std::to_chars_result& result) noexcept {
    return {s.data(), static_cast<std::size_t>(result.ptr - s.data())};
}

// Digits without a point and zeros at the end, and the power of ten of the first one.
struct parts {
    std::string digits;
    int exponent = 0;
};

parts split(std::string_view text) {
    parts p;
    const std::size_t e = text.find('e');
    for (const char c : text.substr(0, e)) {
        if (c != '.') p.digits += c;
    }
    while (p.digits.size() > 1 && p.digits.back() == '0')
        p.digits.pop_back();
    const std::string_view exponent = text.substr(e + 2);
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), p.exponent);
    if (text[e + 1] == '-') p.exponent = -p.exponent;
    return p;
}

// Whether 64 bits of mantissa hold a decimal exactly, which is necessary for a number between
// two doubles.
bool is_exact(const parts& decimal) {
    std::uint64_t n = 0;
    std::from_chars(decimal.digits.data(), decimal.digits.data() + decimal.digits.size(), n);
    int power = decimal.exponent - static_cast<int>(decimal.digits.size()) + 1;
    for (; power > 0 && !__builtin_mul_overflow(n, std::uint64_t{5}, &n); --power) {
    }
    for (; power < 0 && n % 5 == 0; ++power)
        n /= 5;
    return power == 0;
}

// Whether the decimal lies in the middle between `value` and a neighbour. Readers that round
// to even get `value` back from it, but PostgreSQL does not print such a text.
template <class Float>
bool is_midpoint(std::string_view text, Float value) {
    if (!is_exact(split(text))) return false;
    const std::string copy(text);
    const long double decimal = std::strtold(copy.c_str(), nullptr);
    const auto exact = static_cast<long double>(value);
    for (const Float limit :
         {-std::numeric_limits<Float>::infinity(), std::numeric_limits<Float>::infinity()}) {
        const auto neighbour = static_cast<long double>(std::nextafter(value, limit));
        if (decimal == (exact + neighbour) / 2) return true;
    }
    return false;
}

// The shortest digits as `d.ddde+xx`, of a positive number.
template <class Float>
std::string_view shortest(scratch& s, Float value) {
    auto text = view_of(
        s, std::to_chars(s.data(), s.data() + s.size(), value, std::chars_format::scientific));
    if (!is_midpoint(text, value)) return text;
    for (int precision = 0; precision < std::numeric_limits<Float>::max_digits10; ++precision) {
        text = view_of(s, std::to_chars(s.data(), s.data() + s.size(), value,
                                        std::chars_format::scientific, precision));
        Float back = 0;
        std::from_chars(text.data(), text.data() + text.size(), back);
        if (back == value && !is_midpoint(text, value)) break;
    }
    return text;
}

// The exponents for which PostgreSQL writes no exponent: FLT_DIG or DBL_DIG digits at most.
template <class Float>
std::string in_postgres_form(const parts& p) {
    const int size = static_cast<int>(p.digits.size());
    if (p.exponent < -4 || p.exponent >= std::numeric_limits<Float>::digits10) {
        std::string text = p.digits.substr(0, 1);
        if (size > 1) text += '.' + p.digits.substr(1);
        const int magnitude = std::abs(p.exponent);
        text += p.exponent < 0 ? "e-" : "e+";
        return text + (magnitude < 10 ? "0" : "") + std::to_string(magnitude);
    }
    if (p.exponent < 0) {
        return "0." + std::string(static_cast<std::size_t>(-p.exponent - 1), '0') + p.digits;
    }
    const int before = p.exponent + 1;
    if (size <= before) return p.digits + std::string(static_cast<std::size_t>(before - size), '0');
    return p.digits.substr(0, static_cast<std::size_t>(before)) + '.' +
           p.digits.substr(static_cast<std::size_t>(before));
}

template <class Float>
void put_float(rows::byte_buffer& out, Float value) {
    if (std::isnan(value)) return out.append("NaN");
    if (std::signbit(value)) out.append("-");
    if (std::isinf(value)) return out.append("Infinity");
    if (value == 0) return out.append("0");
    scratch s;
    out.append(in_postgres_form<Float>(split(shortest(s, std::fabs(value)))));
}

}  // namespace

bool append_float4(rows::byte_buffer& out, std::string_view cell) {
    if (cell.size() != 4) return false;
    put_float(out, std::bit_cast<float>(rows::load_big<std::uint32_t>(cell.data())));
    return true;
}

bool append_float8(rows::byte_buffer& out, std::string_view cell) {
    if (cell.size() != 8) return false;
    put_float(out, std::bit_cast<double>(rows::load_big<std::uint64_t>(cell.data())));
    return true;
}

}  // namespace exportd::format
