#include "axis.hpp"
#include "chart.hpp"
#include <algorithm>
#include <array>
#include <cmath>

namespace exportd::reports {
namespace {

constexpr std::array<const char*, 7> weekdays{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr text_style small{7, false, 0.25};
constexpr double left = 28;
constexpr double foot = 14;

// From white to dark blue.
color shade(double share) {
    return {1 - 0.88 * share, 1 - 0.76 * share, 1 - 0.60 * share};
}

}  // namespace

void draw_week(canvas& on, const box& in, const std::vector<std::vector<double>>& counts) {
    double most = 0;
    for (const auto& row : counts)
        most = std::max(most, *std::max_element(row.begin(), row.end()));
    const double width = (in.width - left) / 24;
    const double height = (in.height - foot) / 7;
    for (std::size_t day = 0; day < counts.size(); ++day) {
        const double y = in.y + height * static_cast<double>(day);
        on.write(weekdays.at(day), in.x, y + height / 2 - 5, {8, false, 0.2});
        for (std::size_t hour = 0; hour < counts[day].size(); ++hour) {
            const double count = counts[day][hour];
            const box cell{in.x + left + width * static_cast<double>(hour) + 0.5, y + 0.5,
                           width - 1, height - 1};
            const double share = most > 0 ? count / most : 0;
            on.fill(cell, shade(share));
            on.frame(cell, {0.88, 0.88, 0.88}, 0.3);
            if (count == 0) continue;
            constexpr double longest = 10'000;
            const auto text =
                count < longest ? std::to_string(std::llround(count)) : short_number(count);
            text_style style{6.5, false, share > 0.6 ? 1.0 : 0.1};
            const double wide = on.measure(text, style).width;
            if (wide > cell.width - 1) style.size *= (cell.width - 1) / wide;
            on.write(text, cell.x + cell.width / 2, cell.y + cell.height / 2 - style.size * 0.62,
                     style, align::center);
        }
    }
    for (std::size_t hour = 0; hour < 24; ++hour) {
        const double x = in.x + left + width * (static_cast<double>(hour) + 0.5);
        on.write(std::to_string(hour), x, in.y + in.height - foot + 2, small, align::center);
    }
}

}  // namespace exportd::reports
