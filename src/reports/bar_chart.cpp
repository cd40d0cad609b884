#include "axis.hpp"
#include "chart.hpp"
#include <algorithm>
#include <cmath>

namespace exportd::reports {
namespace {

constexpr color ink{0.13, 0.26, 0.42};
constexpr color below{0.45, 0.12, 0.12};
constexpr color grid{0.85, 0.85, 0.85};
constexpr color base{0.25, 0.25, 0.25};
constexpr color paper{1, 1, 1};
constexpr text_style small{7, false, 0.25};
constexpr double line_height = 9;
// With more bars than these, no value stands above each.
constexpr std::size_t most_values = 14;

class bar_chart {
public:
    bar_chart(canvas& on, const box& in, const std::vector<bar>& bars, const std::string& zero)
        : canvas_{on}, in_{in}, bars_{bars}, zero_{zero} {
        std::vector<double> up;
        std::vector<double> down;
        for (const auto& each : bars) {
            up.push_back(each.value);
            down.push_back(-each.value);
        }
        const auto highest = readable_top(up);
        const auto lowest = -readable_top(down);
        axis_ = make_axis(lowest, highest, 4);
        place();
    }

    void draw() {
        for (const double tick : axis_.ticks()) {
            const double y = y_of(tick);
            canvas_.line(plot_.x, y, plot_.x + plot_.width, y, grid, 0.5);
            canvas_.write(short_amount(tick, zero_), plot_.x - 4, y - line_height / 2, small,
                          align::right);
        }
        for (std::size_t i = 0; i < bars_.size(); ++i)
            draw_bar(i);
        canvas_.line(plot_.x, y_of(0), plot_.x + plot_.width, y_of(0), base, 0.8);
        write_labels();
    }

private:
    void place() {
        double label = 0;
        for (const double tick : axis_.ticks())
            label = std::max(label, canvas_.measure(short_amount(tick, zero_), small).width);
        // A line of values above, one of labels below, and one of values of bars that hang down.
        const double lines = axis_.low < 0 ? 3 : 2;
        plot_ = {in_.x + label + 6, in_.y + line_height + 2, in_.width - label - 6,
                 in_.height - lines * line_height - 6};
        slot_ = plot_.width / static_cast<double>(std::max<std::size_t>(bars_.size(), 1));
    }

    double y_of(double value) const { return plot_.y + plot_.height * (1 - axis_.place(value)); }

    double center_of(std::size_t i) const {
        return plot_.x + slot_ * (static_cast<double>(i) + 0.5);
    }

    void draw_bar(std::size_t i) {
        const double value = bars_[i].value;
        if (value == 0) return;
        constexpr double widest = 46;
        const double width = std::min(slot_ * (slot_ < 3 ? 1.0 : 0.72), widest);
        const double top = y_of(std::max(value, 0.0));
        const double bottom = y_of(std::min(value, 0.0));
        const box b{center_of(i) - width / 2, top, width, std::max(bottom - top, 0.4)};
        if (value > 0) {
            canvas_.fill(b, ink);
        } else {
            canvas_.hatch(b, below);
        }
        const bool cut = value > axis_.high * 1.0001 || value < axis_.low * 1.0001 - 1e-12;
        if (cut) {
            const double at = value > 0 ? top + 7 : bottom - 7;
            canvas_.fill({b.x - 1, at, width + 2, 2}, paper);
        }
        if (cut || bars_.size() <= most_values) write_value(i, value > 0 ? top : bottom);
    }

    void write_value(std::size_t i, double y) {
        const auto text = short_number(bars_[i].value);
        const double half = canvas_.measure(text, small).width / 2;
        const double x = std::clamp(center_of(i), plot_.x + half, plot_.x + plot_.width - half);
        // One beside the other, where there is room; the bars themselves show the rest.
        const bool up = bars_[i].value > 0;
        double& taken = up ? taken_above_ : taken_below_;
        if (x - half < taken) return;
        taken = x + half + 2;
        canvas_.write(text, x, up ? y - line_height : y + 1, small, align::center);
    }

    void write_labels() {
        const double y = in_.y + in_.height - line_height - 1;
        double taken = in_.x;
        for (std::size_t i = 0; i < bars_.size(); ++i) {
            if (bars_[i].label.empty()) continue;
            const double half = canvas_.measure(bars_[i].label, small).width / 2;
            const double x = center_of(i);
            if (x - half < taken || x + half > in_.x + in_.width + 2) continue;
            canvas_.line(x, plot_.y + plot_.height, x, plot_.y + plot_.height + 2, base, 0.5);
            canvas_.write(bars_[i].label, x, y, small, align::center);
            taken = x + half + 5;
        }
    }

    canvas& canvas_;
    box in_;
    const std::vector<bar>& bars_;
    const std::string& zero_;
    axis axis_;
    box plot_;
    double slot_ = 0;
    double taken_above_ = 0;
    double taken_below_ = 0;
};

}  // namespace

void draw_bars(canvas& on, const box& in, const std::vector<bar>& bars, const std::string& zero) {
    bar_chart{on, in, bars, zero}.draw();
}

}  // namespace exportd::reports
