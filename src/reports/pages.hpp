#pragma once

#include "canvas.hpp"
#include <functional>
#include <string>
#include <vector>

namespace exportd::reports {

inline constexpr double margin = 44;
inline constexpr double body_width = canvas::page_width - 2 * margin;
inline constexpr double body_bottom = canvas::page_height - margin - 18;

// Puts one thing under the other and begins a new page where no room is left. Every page has a
// foot with `foot` and its number, "2 of 5".
class pages {
public:
    // `total`: how many pages there will be. The canvas outlives it. `between` is called before
    // every further page, and may throw.
    pages(canvas& on, std::string foot, int total, std::function<void()> between);

    canvas& on() noexcept { return canvas_; }
    double y() const noexcept { return y_; }
    int count() const noexcept { return count_; }

    // Begins a new page unless so much room is left on this one.
    void need(double height);
    void new_page();
    void skip(double height) { y_ += height; }

    void title(const std::string& text);
    // A heading at the outline's top level, with `beneath` kept on its page.
    void heading(const std::string& text, double beneath);
    // A smaller heading, for a table or a chart.
    void caption(const std::string& text, double beneath);
    void paragraph(const std::string& text, double size = 9, double grey = 0.1);

    // Draws something of that height, tagged as a figure, below what is there.
    void figure(double height, const std::function<void(const box&)>& draw);

    // Ends the last page.
    void finish();

private:
    void foot();

    canvas& canvas_;
    std::string foot_;
    int total_;
    std::function<void()> between_;
    int count_ = 1;
    double y_ = margin;
};

// A table whose first column is on the left and whose others are on the right.
struct table {
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;  // each as long as the head
};

// Draws it in as many pages as it takes, the head on each, in letters so small that it is not
// wider than a page.
void draw_table(pages& on, const table& t);

}  // namespace exportd::reports
