#include <exportd/access/authenticator.hpp>

#include <algorithm>

namespace exportd::access {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::size_t credentials::count(std::string_view name) const {
    return static_cast<std::size_t>(
        std::count_if(fields.begin(), fields.end(),
                      [&](const auto& field) { return same_name(field.first, name); }));
}

std::optional<std::string_view> credentials::only(std::string_view name) const {
    if (count(name) != 1) return std::nullopt;
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) {
        return same_name(field.first, name);
    });
    if (found->second.empty()) return std::nullopt;
    return found->second;
}

}  // namespace exportd::access
