#include "job_body.hpp"

#include "flat_object.hpp"
#include <algorithm>
#include <array>

namespace exportd::http {
namespace {

constexpr std::array<member, 5> members{{
    {"from", member_type::text, "from has to be a date such as \"2025-01-31\", in quotes."},
    {"to", member_type::text, "to has to be a date such as \"2025-01-31\", in quotes."},
    {"values", member_type::text, "values is \"formatted\" or \"raw\"."},
    {"excel", member_type::truth, "excel is true or false, without quotes."},
    {"notify", member_type::text, "notify has to be a mail address, in quotes."},
}};

bool is_visible(char c) {
    return c > ' ' && c <= '~';
}

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::string lower(std::string_view text) {
    std::string low{text};
    std::transform(low.begin(), low.end(), low.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return low;
}

// RFC 9651 section 4.2.5. Nothing for what is not one whole string.
std::optional<std::string> unquoted(std::string_view text) {
    std::string content;
    for (std::size_t i = 1; i < text.size(); ++i) {
        char c = text[i];
        if (c == '"') {
            if (i + 1 == text.size()) return content;
            return std::nullopt;
        }
        if (c == '\\') {
            if (++i == text.size()) return std::nullopt;
            c = text[i];
            if (c != '"' && c != '\\') return std::nullopt;
        }
        content += c;
    }
    return std::nullopt;
}

}  // namespace

std::variant<job_body, problem> parse_job_body(std::string_view text) {
    auto read = parse_flat_object(text, members);
    if (auto* failure = std::get_if<problem>(&read)) return std::move(*failure);
    job_body body;
    for (auto& [name, value] : std::get<flat_object>(read)) {
        if (name == "notify") {
            body.notify = std::move(value);
        } else {
            body.parameters.emplace_back(std::move(name), std::move(value));
        }
    }
    return body;
}

bool is_json_type(std::string_view content_type) {
    const auto semicolon = content_type.find(';');
    if (lower(trimmed(content_type.substr(0, semicolon))) != "application/json") return false;
    if (semicolon == std::string_view::npos) return true;
    const auto parameter = lower(trimmed(content_type.substr(semicolon + 1)));
    return parameter.empty() || parameter == "charset=utf-8" || parameter == "charset=\"utf-8\"";
}

std::optional<std::string> parse_idempotency_key(std::string_view field) {
    constexpr std::size_t longest_key = 255;
    auto key = field.starts_with('"') ? unquoted(field) : std::optional{std::string{field}};
    if (!key || key->empty() || key->size() > longest_key) return std::nullopt;
    if (!std::all_of(key->begin(), key->end(), is_visible)) return std::nullopt;
    return key;
}

}  // namespace exportd::http
