#include "pages.hpp"
#include <algorithm>
#include <numeric>

namespace exportd::reports {
namespace {

constexpr double gap = 12;     // between two columns, at the least
constexpr double padding = 2;  // above and below a line
constexpr double largest = 9;  // size of letters
constexpr double smallest = 4;

class table_writer {
public:
    table_writer(pages& on, const table& t) : pages_{on}, canvas_{on.on()}, table_{t} {
        for (size_ = largest; size_ > smallest; size_ -= 0.25) {
            measure();
            if (total() <= body_width) break;
        }
        spread();
    }

    void draw() {
        canvas_.begin_tag("Table");
        row(table_.head, true);
        for (const auto& cells : table_.rows) {
            if (pages_.y() + height() > body_bottom) {
                canvas_.end_tag("Table");
                pages_.new_page();
                canvas_.begin_tag("Table");
                row(table_.head, true);
            }
            row(cells, false);
        }
        canvas_.end_tag("Table");
        pages_.skip(4);
    }

    double height() const { return size_ * 1.3 + 2 * padding; }

private:
    void measure() {
        widths_.assign(table_.head.size(), 0);
        const auto widen = [&](const std::vector<std::string>& cells, bool bold) {
            for (std::size_t i = 0; i < cells.size(); ++i) {
                const double width = canvas_.measure(cells[i], {size_, bold}).width;
                widths_[i] = std::max(widths_[i], width);
            }
        };
        widen(table_.head, true);
        for (const auto& cells : table_.rows)
            widen(cells, false);
    }

    double total() const {
        return std::accumulate(widths_.begin(), widths_.end(), 0.0) +
               gap * static_cast<double>(widths_.size() - 1);
    }

    // The room that is left goes to all columns but the first.
    void spread() {
        if (widths_.size() < 2) return;
        const double more =
            std::max((body_width - total()) / static_cast<double>(widths_.size() - 1), 0.0);
        std::for_each(widths_.begin() + 1, widths_.end(), [&](double& w) { w += more; });
    }

    void row(const std::vector<std::string>& cells, bool head) {
        const double y = pages_.y();
        const text_style style{size_, head};
        canvas_.begin_tag("TR");
        double x = margin;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto* tag = head || i == 0 ? "TH" : "TD";
            canvas_.begin_tag(tag);
            if (i == 0) {
                canvas_.write_cut(cells[i], x, y + padding, style, align::left, widths_[i] + gap);
            } else {
                canvas_.write(cells[i], x + widths_[i], y + padding, style, align::right);
            }
            canvas_.end_tag(tag);
            x += widths_[i] + gap;
        }
        canvas_.end_tag("TR");
        const double end = y + height();
        canvas_.line(margin, end, margin + body_width, end, {0.75, 0.75, 0.75}, head ? 1.0 : 0.4);
        pages_.skip(height());
    }

    pages& pages_;
    canvas& canvas_;
    const table& table_;
    double size_ = largest;
    std::vector<double> widths_;
};

}  // namespace

void draw_table(pages& on, const table& t) {
    table_writer writer{on, t};
    on.need(2 * writer.height());
    writer.draw();
}

}  // namespace exportd::reports
