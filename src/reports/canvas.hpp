#pragma once

#include <pango/pango.h>

#include <cairo.h>
#include <memory>
#include <string>
#include <string_view>

namespace exportd::reports {

// Lengths are points (1/72 inch); x grows to the right and y downwards from the page's corner.

enum class align { left, center, right };

struct text_style {
    double size = 9;
    bool bold = false;
    double grey = 0.1;  // 0 black, 1 white
};

// Shades that stay apart in grey.
struct color {
    double red = 0;
    double green = 0;
    double blue = 0;
};

struct box {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
};

// The pages of one PDF, drawn from first to last. Has a font map of its own, so that threads may
// draw at once, each on its own canvas.
class canvas {
public:
    static constexpr double page_width = 595.28;  // A4
    static constexpr double page_height = 841.89;

    // `bytes` gets the document; it outlives the canvas.
    explicit canvas(std::string& bytes);
    ~canvas();
    canvas(const canvas&) = delete;
    canvas& operator=(const canvas&) = delete;

    void describe(const std::string& title, const std::string& subject, const std::string& created);

    // What the two do is for the reader of the document's structure (PDF 32000-1, 14.8.4).
    void begin_tag(const char* name);
    void end_tag(const char* name);

    // An entry of the outline, that leads to the current page's `y`.
    void add_outline(const std::string& text, double y);

    void next_page();

    // Widest and highest that the text is. A width of 0 is no limit; otherwise lines are broken.
    struct extent {
        double width = 0;
        double height = 0;
    };
    extent measure(std::string_view text, const text_style& style, double width = 0);

    // Writes with the top of the first line at y and x at the side that `to` says. Returns the
    // height.
    double write(std::string_view text, double x, double y, const text_style& style,
                 align to = align::left, double width = 0);

    // As much of one line as fits into the width, with an ellipsis if that is not all.
    void write_cut(std::string_view text, double x, double y, const text_style& style, align to,
                   double width);

    void fill(const box& b, const color& c);
    void frame(const box& b, const color& c, double line);
    // Filled with slanting lines, for what is less than nothing.
    void hatch(const box& b, const color& c);
    void line(double x1, double y1, double x2, double y2, const color& c, double width);

    // Ends the document. Throws std::runtime_error if anything could not be drawn.
    void finish();

private:
    struct unref {
        void operator()(void* object) const;
    };
    struct destroy_surface {
        void operator()(cairo_surface_t* s) const { cairo_surface_destroy(s); }
    };
    struct destroy_context {
        void operator()(cairo_t* c) const { cairo_destroy(c); }
    };
    using layout_ptr = std::unique_ptr<PangoLayout, unref>;

    layout_ptr layout_of(std::string_view text, const text_style& style, double width);
    void show(PangoLayout* layout, double x, double y, const text_style& style, align to);
    void use(const color& c);

    std::unique_ptr<cairo_surface_t, destroy_surface> surface_;
    std::unique_ptr<cairo_t, destroy_context> cairo_;
    std::unique_ptr<PangoFontMap, unref> fonts_;
    std::unique_ptr<PangoContext, unref> context_;
    int outlines_ = 0;
};

}  // namespace exportd::reports
