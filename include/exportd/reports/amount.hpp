#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace exportd::reports {

// An exact decimal number of any size, as PostgreSQL's numeric without its special values. Sums
// keep all digits; nothing goes through binary floating point but approximate(). A plain value.
class amount {
public:
    amount() = default;  // 0

    // Reads what numeric_out writes, such as -1234.50. Throws std::invalid_argument, also for NaN
    // and the infinities: who has those has no amount.
    static amount parse(std::string_view text);

    amount operator+(const amount& other) const;
    amount operator-(const amount& other) const;
    amount operator*(const amount& other) const;
    amount& operator+=(const amount& other) { return *this = *this + other; }
    std::strong_ordering operator<=>(const amount& other) const;
    bool operator==(const amount& other) const { return (*this <=> other) == 0; }

    // A half of it, exact.
    amount half() const;

    // The quotient, rounded half away from zero to `digits` after the point. Precondition: by != 0.
    amount divided(const amount& by, int digits) const;

    // The quotient cut to `digits` after the point, with one more digit that is not zero if
    // anything was cut: it rounds at any place before as the exact quotient does.
    amount divided_sticky(const amount& by, int digits) const;

    int sign() const;
    // Digits after the point.
    int scale() const;

    // Plain decimal, all digits.
    const std::string& text() const noexcept { return text_; }

    // In PostgreSQL's binary form, which format::parse_numeric reads.
    std::string wire() const;

    // For the heights of bars, and for nothing that is printed.
    double approximate() const;

private:
    explicit amount(std::string text) : text_{std::move(text)} {}

    std::string text_ = "0";
};

}  // namespace exportd::reports
