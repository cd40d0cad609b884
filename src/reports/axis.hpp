#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace exportd::reports {

// The scale of a chart, which always shows zero: round numbers at even steps, the first at or
// below all values and the last at or above them.
struct axis {
    double low = 0;
    double high = 1;
    double step = 1;

    std::vector<double> ticks() const;

    // Where a value is between low (0) and high (1); what is beyond is at the end.
    double place(double value) const;
};

// For values from `least` to `most`, with about `steps` steps.
axis make_axis(double least, double most, int steps);

// Some single values may be so far above all others that these could not be seen any more. This
// is a height that shows the others; values above it are to be marked. `most` if there is no such
// value.
double readable_top(std::vector<double> values);

// A short form for axes: 0, 9.50, 950, 12.5k, 3M, 2bn, 1tn.
std::string short_number(double value);

// The same as an amount. `zero` is how the currency's zero is written: what stands around its
// digits goes around the number, and a minus in front.
std::string short_amount(double value, std::string_view zero);

}  // namespace exportd::reports
