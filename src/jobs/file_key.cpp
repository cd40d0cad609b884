#include "file_key.hpp"

#include <algorithm>

namespace exportd::jobs {

namespace {

constexpr std::size_t longest = 200;

bool is_key_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

}  // namespace

bool is_file_key(std::string_view text) noexcept {
    return !text.empty() && text.size() <= longest && text.front() != '.' &&
           std::all_of(text.begin(), text.end(), is_key_character);
}

void require_file_key(const std::string& key) {
    if (!is_file_key(key)) throw store_error{"not the key of a file"};
}

}  // namespace exportd::jobs
