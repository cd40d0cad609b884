#include "chart.hpp"
#include <algorithm>

namespace exportd::reports {
namespace {

constexpr double row_height = 13;
constexpr color ink{0.13, 0.26, 0.42};
constexpr text_style style{8, false, 0.15};

double widest(canvas& on, const std::vector<band_bar>& bands, std::string band_bar::*text) {
    double width = 0;
    for (const auto& band : bands)
        width = std::max(width, on.measure(band.*text, style).width);
    return width;
}

}  // namespace

double height_of_bands(std::size_t count) {
    return row_height * static_cast<double>(count);
}

void draw_bands(canvas& on, const box& in, const std::vector<band_bar>& bands) {
    constexpr double gap = 6;
    const double labels = widest(on, bands, &band_bar::label) + gap;
    const double values = widest(on, bands, &band_bar::value) + gap;
    const double room = std::max(in.width - labels - values, 20.0);
    double most = 0;
    for (const auto& band : bands)
        most = std::max(most, band.orders);
    double y = in.y;
    for (const auto& band : bands) {
        on.write(band.label, in.x + labels - gap, y + 1, style, align::right);
        const double length = most > 0 ? room * band.orders / most : 0;
        if (length > 0) on.fill({in.x + labels, y + 2, std::max(length, 0.5), row_height - 4}, ink);
        on.write(band.value, in.x + labels + length + gap, y + 1, style);
        y += row_height;
    }
    const double end = in.y + height_of_bands(bands.size());
    on.line(in.x + labels, in.y, in.x + labels, end, {0.25, 0.25, 0.25}, 0.8);
}

}  // namespace exportd::reports
