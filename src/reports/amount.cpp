#include <exportd/reports/amount.hpp>

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace exportd::reports {
namespace {

using boost::multiprecision::cpp_int;

// The number is unscaled / 10^scale.
struct scaled {
    cpp_int unscaled;
    int scale = 0;
};

cpp_int power_of_ten(int exponent) {
    return boost::multiprecision::pow(cpp_int{10}, static_cast<unsigned>(exponent));
}

int scale_of(std::string_view text) {
    const auto point = text.find('.');
    return point == std::string_view::npos ? 0 : static_cast<int>(text.size() - point - 1);
}

scaled read(std::string_view text) {
    scaled s;
    s.scale = scale_of(text);
    const bool negative = text.starts_with('-');
    std::string digits;
    for (const char c : text.substr(negative ? 1 : 0)) {
        if (c != '.') digits += c;
    }
    // A leading zero would make it octal.
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
    s.unscaled = cpp_int{digits};
    if (negative) s.unscaled = -s.unscaled;
    return s;
}

std::string write(const scaled& s) {
    const bool negative = s.unscaled < 0;
    std::string digits = cpp_int{abs(s.unscaled)}.str();
    const auto scale = static_cast<std::size_t>(s.scale);
    if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
    if (scale != 0) digits.insert(digits.size() - scale, 1, '.');
    return negative ? "-" + digits : digits;
}

// Both with the same scale.
std::pair<scaled, scaled> aligned(std::string_view a, std::string_view b) {
    auto one = read(a);
    auto other = read(b);
    const int scale = std::max(one.scale, other.scale);
    for (auto* s : {&one, &other}) {
        s->unscaled *= power_of_ten(scale - s->scale);
        s->scale = scale;
    }
    return {std::move(one), std::move(other)};
}

void put(std::string& out, unsigned value) {
    out += static_cast<char>(value >> 8U & 255U);
    out += static_cast<char>(value & 255U);
}

}  // namespace

amount amount::parse(std::string_view text) {
    const auto digits = text.substr(text.starts_with('-') ? 1 : 0);
    const auto points = std::count(digits.begin(), digits.end(), '.');
    const bool plain = digits.find_first_not_of("0123456789.") == std::string_view::npos;
    if (digits.empty() || !plain || points > 1 || digits.front() == '.' || digits.back() == '.') {
        throw std::invalid_argument{"not a decimal number"};
    }
    return amount{write(read(text))};
}

amount amount::operator+(const amount& other) const {
    auto [a, b] = aligned(text_, other.text_);
    a.unscaled += b.unscaled;
    return amount{write(a)};
}

amount amount::operator-(const amount& other) const {
    auto [a, b] = aligned(text_, other.text_);
    a.unscaled -= b.unscaled;
    return amount{write(a)};
}

amount amount::operator*(const amount& other) const {
    auto product = read(text_);
    const auto by = read(other.text_);
    product.unscaled *= by.unscaled;
    product.scale += by.scale;
    return amount{write(product)};
}

std::strong_ordering amount::operator<=>(const amount& other) const {
    const auto [a, b] = aligned(text_, other.text_);
    const int order = a.unscaled.compare(b.unscaled);
    return order <=> 0;
}

amount amount::half() const {
    auto s = read(text_);
    s.unscaled *= 5;
    ++s.scale;
    return amount{write(s)};
}

amount amount::divided(const amount& by, int digits) const {
    auto [a, b] = aligned(text_, by.text_);
    const bool negative = (a.unscaled < 0) != (b.unscaled < 0);
    const cpp_int over = abs(a.unscaled) * power_of_ten(digits) * 2 + abs(b.unscaled);
    scaled quotient{over / (abs(b.unscaled) * 2), digits};
    if (negative) quotient.unscaled = -quotient.unscaled;
    return amount{write(quotient)};
}

amount amount::divided_sticky(const amount& by, int digits) const {
    auto [a, b] = aligned(text_, by.text_);
    const cpp_int over = a.unscaled * power_of_ten(digits);
    const cpp_int rest = over % b.unscaled;
    scaled quotient{over / b.unscaled, digits};
    if (rest != 0) {
        const bool negative = (a.unscaled < 0) != (b.unscaled < 0);
        quotient.unscaled = quotient.unscaled * 10 + (negative ? -1 : 1);
        ++quotient.scale;
    }
    return amount{write(quotient)};
}

int amount::sign() const {
    if (text_.find_first_of("123456789") == std::string::npos) return 0;
    return text_.front() == '-' ? -1 : 1;
}

int amount::scale() const {
    return scale_of(text_);
}

std::string amount::wire() const {
    constexpr std::size_t group = 4;
    std::string_view text{text_};
    if (text.starts_with('-')) text.remove_prefix(1);
    std::string whole{text.substr(0, text.find('.'))};
    std::string fraction{text.substr(text.size() - static_cast<std::size_t>(scale()))};
    whole.insert(0, (group - whole.size() % group) % group, '0');
    fraction.append((group - fraction.size() % group) % group, '0');
    int weight = static_cast<int>(whole.size() / group) - 1;
    const std::string digits = whole + fraction;
    std::vector<unsigned> groups;
    for (std::size_t i = 0; i < digits.size(); i += group)
        groups.push_back(static_cast<unsigned>(std::stoul(digits.substr(i, group))));
    while (!groups.empty() && groups.back() == 0)
        groups.pop_back();
    const auto first =
        std::find_if(groups.begin(), groups.end(), [](unsigned g) { return g != 0; });
    weight -= static_cast<int>(first - groups.begin());
    groups.erase(groups.begin(), first);

    constexpr unsigned negative = 0x4000;
    std::string wire;
    put(wire, static_cast<unsigned>(groups.size()));
    put(wire, groups.empty() ? 0U : static_cast<unsigned>(weight) & 0xFFFFU);
    put(wire, sign() < 0 ? negative : 0U);
    put(wire, static_cast<unsigned>(scale()));
    for (const auto each : groups)
        put(wire, each);
    return wire;
}

double amount::approximate() const {
    return std::strtod(text_.c_str(), nullptr);
}

}  // namespace exportd::reports
