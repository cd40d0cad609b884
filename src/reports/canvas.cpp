#include "canvas.hpp"

#include <fmt/format.h>
#include <pango/pangocairo.h>

#include <cairo-pdf.h>
#include <cmath>
#include <stdexcept>

namespace exportd::reports {
namespace {

// The first that is installed and has the character.
constexpr const char* families = "Lato, DejaVu Sans, Noto Sans, Droid Sans Fallback, Sans";

cairo_status_t append(void* closure, const unsigned char* data, unsigned length) {
    try {
        static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
    } catch (const std::exception&) {
        return CAIRO_STATUS_NO_MEMORY;
    }
    return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status) {
    if (status != CAIRO_STATUS_SUCCESS) {
        throw std::runtime_error{std::string{"the report could not be drawn: "} +
                                 cairo_status_to_string(status)};
    }
}

}  // namespace

void canvas::unref::operator()(void* object) const {
    g_object_unref(object);
}

canvas::canvas(std::string& bytes)
    : surface_{cairo_pdf_surface_create_for_stream(append, &bytes, page_width, page_height)},
      cairo_{cairo_create(surface_.get())},
      fonts_{pango_cairo_font_map_new()},
      context_{pango_font_map_create_context(fonts_.get())} {
    check(cairo_status(cairo_.get()));
    constexpr double points_per_inch = 72;
    pango_cairo_context_set_resolution(context_.get(), points_per_inch);
    pango_cairo_update_context(cairo_.get(), context_.get());
}

canvas::~canvas() = default;

void canvas::describe(const std::string& title, const std::string& subject,
                      const std::string& created) {
    auto* pdf = surface_.get();
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE, title.c_str());
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_SUBJECT, subject.c_str());
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATOR, "exportd " EXPORTD_VERSION);
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, created.c_str());
}

void canvas::begin_tag(const char* name) {
    cairo_tag_begin(cairo_.get(), name, nullptr);
}

void canvas::end_tag(const char* name) {
    cairo_tag_end(cairo_.get(), name);
}

void canvas::add_outline(const std::string& text, double y) {
    const auto name = fmt::format("part{}", ++outlines_);
    const auto place = fmt::format("name='{}' x={:.2f} y={:.2f}", name, 0.0, y);
    cairo_tag_begin(cairo_.get(), CAIRO_TAG_DEST, place.c_str());
    cairo_tag_end(cairo_.get(), CAIRO_TAG_DEST);
    const auto link = fmt::format("dest='{}'", name);
    cairo_pdf_surface_add_outline(surface_.get(), CAIRO_PDF_OUTLINE_ROOT, text.c_str(),
                                  link.c_str(), CAIRO_PDF_OUTLINE_FLAG_OPEN);
}

void canvas::next_page() {
    cairo_show_page(cairo_.get());
}

canvas::layout_ptr canvas::layout_of(std::string_view text, const text_style& style, double width) {
    layout_ptr layout{pango_layout_new(context_.get())};
    auto* font = pango_font_description_from_string(families);
    pango_font_description_set_absolute_size(font, style.size * PANGO_SCALE);
    if (style.bold) pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    pango_layout_set_font_description(layout.get(), font);
    pango_font_description_free(font);
    auto* attributes = pango_attr_list_new();
    // Digits of equal width, so that columns of numbers line up.
    pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum=1, lnum=1"));
    pango_layout_set_attributes(layout.get(), attributes);
    pango_attr_list_unref(attributes);
    pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
    if (width > 0) {
        pango_layout_set_width(layout.get(), static_cast<int>(std::lround(width * PANGO_SCALE)));
        pango_layout_set_wrap(layout.get(), PANGO_WRAP_WORD_CHAR);
    }
    return layout;
}

canvas::extent canvas::measure(std::string_view text, const text_style& style, double width) {
    const auto layout = layout_of(text, style, width);
    int w = 0;
    int h = 0;
    pango_layout_get_size(layout.get(), &w, &h);
    return {static_cast<double>(w) / PANGO_SCALE, static_cast<double>(h) / PANGO_SCALE};
}

void canvas::show(PangoLayout* layout, double x, double y, const text_style& style, align to) {
    PangoRectangle logical;
    pango_layout_get_extents(layout, nullptr, &logical);
    // An aligned or right-to-left layout begins away from its left edge.
    const double begin = static_cast<double>(logical.x) / PANGO_SCALE;
    const double width = static_cast<double>(logical.width) / PANGO_SCALE;
    const double left = to == align::left ? x : to == align::right ? x - width : x - width / 2;
    cairo_set_source_rgb(cairo_.get(), style.grey, style.grey, style.grey);
    cairo_move_to(cairo_.get(), left - begin, y);
    pango_cairo_show_layout(cairo_.get(), layout);
}

double canvas::write(std::string_view text, double x, double y, const text_style& style, align to,
                     double width) {
    const auto layout = layout_of(text, style, width);
    show(layout.get(), x, y, style, to);
    int h = 0;
    pango_layout_get_size(layout.get(), nullptr, &h);
    return static_cast<double>(h) / PANGO_SCALE;
}

void canvas::write_cut(std::string_view text, double x, double y, const text_style& style, align to,
                       double width) {
    const auto layout = layout_of(text, style, 0);
    if (measure(text, style).width > width) {
        pango_layout_set_width(layout.get(), static_cast<int>(std::lround(width * PANGO_SCALE)));
        pango_layout_set_ellipsize(layout.get(), PANGO_ELLIPSIZE_END);
    }
    pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
    show(layout.get(), x, y, style, to);
}

void canvas::use(const color& c) {
    cairo_set_source_rgb(cairo_.get(), c.red, c.green, c.blue);
}

void canvas::fill(const box& b, const color& c) {
    use(c);
    cairo_rectangle(cairo_.get(), b.x, b.y, b.width, b.height);
    cairo_fill(cairo_.get());
}

void canvas::frame(const box& b, const color& c, double line) {
    use(c);
    cairo_set_line_width(cairo_.get(), line);
    cairo_rectangle(cairo_.get(), b.x, b.y, b.width, b.height);
    cairo_stroke(cairo_.get());
}

void canvas::hatch(const box& b, const color& c) {
    constexpr double gap = 2.5;
    constexpr double thin = 0.5;
    cairo_save(cairo_.get());
    cairo_rectangle(cairo_.get(), b.x, b.y, b.width, b.height);
    cairo_clip(cairo_.get());
    use(c);
    cairo_set_line_width(cairo_.get(), thin);
    for (double at = -b.height; at < b.width; at += gap) {
        cairo_move_to(cairo_.get(), b.x + at, b.y + b.height);
        cairo_line_to(cairo_.get(), b.x + at + b.height, b.y);
    }
    cairo_stroke(cairo_.get());
    cairo_restore(cairo_.get());
    frame(b, c, thin);
}

void canvas::line(double x1, double y1, double x2, double y2, const color& c, double width) {
    use(c);
    cairo_set_line_width(cairo_.get(), width);
    cairo_move_to(cairo_.get(), x1, y1);
    cairo_line_to(cairo_.get(), x2, y2);
    cairo_stroke(cairo_.get());
}

void canvas::finish() {
    check(cairo_status(cairo_.get()));
    cairo_surface_finish(surface_.get());
    check(cairo_surface_status(surface_.get()));
}

}  // namespace exportd::reports
