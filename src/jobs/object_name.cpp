#include <exportd/jobs/object_name.hpp>

#include <algorithm>

namespace exportd::jobs {

namespace {

bool is_alphanumeric(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_name_character(char c) noexcept {
    return is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
}

bool are_name_characters(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_name_character);
}

}  // namespace

bool is_bucket_name(std::string_view text) noexcept {
    return text.size() >= 3 && text.size() <= 63 && is_alphanumeric(text.front()) &&
           are_name_characters(text);
}

bool is_object_prefix(std::string_view text) noexcept {
    if (text.size() > 200) return false;
    while (!text.empty()) {
        const std::size_t slash = text.find('/');
        if (slash == std::string_view::npos) return false;
        const std::string_view part = text.substr(0, slash);
        if (!are_name_characters(part) || part == "." || part == "..") return false;
        text.remove_prefix(slash + 1);
    }
    return true;
}

bool is_region_name(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool is_access_key(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return c > ' ' && c < 0x7F && c != ':' && c != '/';
    });
}

}  // namespace exportd::jobs
