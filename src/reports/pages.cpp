#include "pages.hpp"

#include <fmt/format.h>

namespace exportd::reports {

pages::pages(canvas& on, std::string foot, int total, std::function<void()> between)
    : canvas_{on}, foot_{std::move(foot)}, total_{total}, between_{std::move(between)} {
}

void pages::need(double height) {
    // What is higher than a page goes over its end rather than onto an endless number of pages.
    if (y_ + height > body_bottom && y_ > margin) new_page();
}

void pages::new_page() {
    foot();
    canvas_.next_page();
    between_();
    ++count_;
    y_ = margin;
}

void pages::finish() {
    foot();
    canvas_.next_page();
}

void pages::foot() {
    const text_style small{7.5, false, 0.35};
    const double at = canvas::page_height - margin;
    canvas_.line(margin, at - 4, margin + body_width, at - 4, {0.7, 0.7, 0.7}, 0.5);
    constexpr double number_width = 60;
    canvas_.write_cut(foot_, margin, at, small, align::left, body_width - number_width);
    canvas_.write(fmt::format("{} of {}", count_, total_), margin + body_width, at, small,
                  align::right);
}

void pages::title(const std::string& text) {
    canvas_.add_outline(text, y_);
    canvas_.begin_tag("H1");
    text_style style{20, true};
    constexpr double two_lines = 60;
    if (canvas_.measure(text, style, body_width).height > two_lines) style.size = 13;
    y_ += canvas_.write(text, margin, y_, style, align::left, body_width);
    canvas_.end_tag("H1");
    y_ += 4;
}

void pages::heading(const std::string& text, double beneath) {
    constexpr text_style style{15, true};
    need(canvas_.measure(text, style, body_width).height + beneath);
    canvas_.add_outline(text, y_);
    canvas_.begin_tag("H2");
    y_ += canvas_.write(text, margin, y_, style, align::left, body_width);
    canvas_.end_tag("H2");
    y_ += 3;
}

void pages::caption(const std::string& text, double beneath) {
    constexpr text_style style{10.5, true};
    constexpr double above = 8;
    need(above + canvas_.measure(text, style, body_width).height + beneath);
    y_ += above;
    canvas_.begin_tag("H3");
    y_ += canvas_.write(text, margin, y_, style, align::left, body_width);
    canvas_.end_tag("H3");
    y_ += 3;
}

void pages::paragraph(const std::string& text, double size, double grey) {
    const text_style style{size, false, grey};
    need(canvas_.measure(text, style, body_width).height);
    canvas_.begin_tag("P");
    y_ += canvas_.write(text, margin, y_, style, align::left, body_width);
    canvas_.end_tag("P");
    y_ += 2;
}

void pages::figure(double height, const std::function<void(const box&)>& draw) {
    need(height);
    canvas_.begin_tag("Figure");
    draw({margin, y_, body_width, height});
    canvas_.end_tag("Figure");
    y_ += height;
}

}  // namespace exportd::reports
