#include <exportd/http/accept.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace exportd::http {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Cuts the part before `separator` off the front of `text`.
std::string_view take_until(std::string_view& text, char separator) {
    const auto end = std::min(text.find(separator), text.size());
    const auto part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return trimmed(part);
}

bool equals(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char x, char y) { return lower(x) == lower(y); });
}

// In thousandths, as finer ones do not exist. A weight that is none counts as not wanted.
int quality_of(std::string_view parameters) {
    constexpr double full = 1000;
    while (!parameters.empty()) {
        const auto parameter = take_until(parameters, ';');
        if (parameter.size() < 2 || !equals(parameter.substr(0, 2), "q=")) continue;
        const auto weight = parameter.substr(2);
        double value = 0;
        const auto [end, ec] = std::from_chars(weight.data(), weight.data() + weight.size(), value);
        const bool whole = ec == std::errc{} && end == weight.data() + weight.size();
        return whole && value >= 0 && value <= 1 ? static_cast<int>(value * full) : 0;
    }
    return static_cast<int>(full);
}

// 3: the very type, 2: type/*, 1: */*, 0: another one.
int match(std::string_view range, std::string_view type) {
    if (equals(range, type)) return 3;
    if (range == "*/*") return 1;
    if (!range.ends_with("/*")) return 0;
    const auto family = range.substr(0, range.size() - 1);
    return equals(family, type.substr(0, family.size())) ? 2 : 0;
}

int quality_for(std::string_view type, std::string_view accept) {
    int best = 0;
    int quality = 0;
    while (!accept.empty()) {
        auto element = take_until(accept, ',');
        const auto range = take_until(element, ';');
        const int specific = match(range, type);
        if (specific <= best) continue;
        best = specific;
        quality = quality_of(element);
    }
    return quality;
}

}  // namespace

std::optional<std::string_view> negotiate(std::string_view accept,
                                          std::span<const std::string_view> offered) {
    if (trimmed(accept).empty()) return offered.front();
    std::optional<std::string_view> chosen;
    int best = 0;
    for (const auto type : offered) {
        const int quality = quality_for(type, accept);
        if (quality <= best) continue;
        best = quality;
        chosen = type;
    }
    return chosen;
}

}  // namespace exportd::http
