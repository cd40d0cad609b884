#include <exportd/observe/exposition.hpp>

#include <algorithm>
#include <charconv>

namespace exportd::observe {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Takes what stands before the separator off the text.
std::string_view take(std::string_view& text, char separator) {
    const auto end = std::min(text.find(separator), text.size());
    const auto taken = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return taken;
}

bool same(std::string_view a, std::string_view b) {
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [lower](char x, char y) { return lower(x) == lower(y); });
}

std::string_view unquoted(std::string_view text) {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
    return text.substr(1, text.size() - 2);
}

struct media_range {
    std::string_view type;
    std::string_view version;
    double weight = 1;
};

media_range parse_range(std::string_view text) {
    media_range range;
    range.type = take(text, ';');
    while (!text.empty()) {
        auto value = take(text, ';');
        const auto name = take(value, '=');
        if (same(name, "version")) range.version = unquoted(value);
        if (!same(name, "q")) continue;
        const auto end = value.data() + value.size();
        if (std::from_chars(value.data(), end, range.weight).ptr != end) range.weight = 0;
    }
    return range;
}

}  // namespace

exposition wanted_exposition(std::string_view accept) noexcept {
    double openmetrics = 0;
    double text = 0;
    while (!accept.empty()) {
        const auto range = parse_range(take(accept, ','));
        const bool known = range.version.empty() || range.version == "1.0.0";
        if (same(range.type, "application/openmetrics-text") && known)
            openmetrics = std::max(openmetrics, range.weight);
        if (same(range.type, "text/plain")) text = std::max(text, range.weight);
    }
    return openmetrics > 0 && openmetrics >= text ? exposition::openmetrics : exposition::text;
}

std::string_view content_type_of(exposition form) noexcept {
    return form == exposition::openmetrics
               ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
               : "text/plain; version=0.0.4; charset=utf-8";
}

}  // namespace exportd::observe
