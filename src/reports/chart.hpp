#pragma once

#include "canvas.hpp"
#include <string>
#include <vector>

namespace exportd::reports {

struct bar {
    std::string label;  // below it; an empty one is not written
    double value = 0;
};

// Bars that stand on a line at zero; those below it are hatched. `zero` is how the currency's zero
// is written, for the axis. Labels that would overlap are left out. A bar that is far longer than
// the others is cut, with its value above it.
void draw_bars(canvas& on, const box& in, const std::vector<bar>& bars, const std::string& zero);

// Rows from Monday to Sunday, columns from 0 to 23 o'clock: the more, the darker, with the number.
void draw_week(canvas& on, const box& in, const std::vector<std::vector<double>>& counts);

struct band_bar {
    std::string label;
    double orders = 0;
    std::string value;  // written behind the bar
};

// Bars that lie, one under the other.
void draw_bands(canvas& on, const box& in, const std::vector<band_bar>& bands);

// How high draw_bands() is for so many.
double height_of_bands(std::size_t count);

}  // namespace exportd::reports
