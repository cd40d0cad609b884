#include "axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace exportd::reports {
namespace {

constexpr std::string_view digits = "0123456789";

// 1, 2 or 5 times a power of ten, not less than `wanted`.
double round_step(double wanted) {
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= wanted * (1 - 1e-9)) return factor * power;
    }
    return 10 * power;
}

}  // namespace

std::vector<double> axis::ticks() const {
    std::vector<double> all;
    const auto count = std::llround((high - low) / step);
    for (long long i = 0; i <= count; ++i)
        all.push_back(low + step * static_cast<double>(i));
    return all;
}

double axis::place(double value) const {
    return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

axis make_axis(double least, double most, int steps) {
    axis a;
    least = std::min(least, 0.0);
    most = std::max(most, 0.0);
    if (!(most - least > 0)) return a;
    a.step = round_step((most - least) / steps);
    a.low = std::floor(least / a.step + 1e-9) * a.step;
    a.high = std::ceil(most / a.step - 1e-9) * a.step;
    return a;
}

double readable_top(std::vector<double> values) {
    constexpr double far_above = 8;
    std::erase_if(values, [](double v) { return !(v > 0); });
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const double most = values.back();
    // At most one in ten is beyond, and at least three are not.
    const auto beyond = std::min(values.size() / 10 + 1, values.size());
    if (values.size() - beyond < 3) return most;
    for (auto i = values.size() - beyond; i < values.size(); ++i) {
        if (values[i] > far_above * values[i - 1]) return values[i - 1] * 1.15;
    }
    return most;
}

std::string short_number(double value) {
    struct unit {
        double size;
        const char* name;
    };
    static constexpr std::array<unit, 4> units{{{1e12, "tn"}, {1e9, "bn"}, {1e6, "M"}, {1e3, "k"}}};
    constexpr double almost = 0.99995;
    const double size = std::abs(value);
    const auto found = std::find_if(units.begin(), units.end(),
                                    [&](const unit& u) { return size >= u.size * almost; });
    const double shown = found == units.end() ? size : size / found->size;
    const bool small = found == units.end();
    auto text = small ? fmt::format("{:.2f}", shown) : fmt::format("{:.1f}", shown);
    const std::string_view nothing = small ? ".00" : ".0";
    if (text.ends_with(nothing)) text.resize(text.size() - nothing.size());
    if (found != units.end()) text += found->name;
    return value < 0 && text != "0" ? "-" + text : text;
}

std::string short_amount(double value, std::string_view zero) {
    const auto first = zero.find_first_of(digits);
    const auto last = zero.find_last_of(digits);
    auto number = short_number(value);
    if (first == std::string_view::npos) return number;
    const bool negative = number.starts_with('-');
    if (negative) number.erase(0, 1);
    return fmt::format("{}{}{}{}", negative ? "-" : "", zero.substr(0, first), number,
                       zero.substr(last + 1));
}

}  // namespace exportd::reports
