#include <exportd/access/text.hpp>

#include <cstddef>

namespace exportd::access {
namespace {

constexpr std::size_t longest_name = 255;

// Bytes of the UTF-8 sequence that begins with this one; 0: none begins so.
std::size_t length_from(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return 2;
    if (first >= 0xE0 && first < 0xF0) return 3;
    if (first >= 0xF0 && first < 0xF5) return 4;
    return 0;
}

// Whether a sequence of several bytes is neither longer than it has to be, nor a surrogate, nor
// beyond U+10FFFF; these show in its second byte.
bool is_second(unsigned char first, unsigned char second) {
    if (first == 0xE0) return second >= 0xA0;
    if (first == 0xED) return second < 0xA0;
    if (first == 0xF0) return second >= 0x90;
    if (first == 0xF4) return second < 0x90;
    return true;
}

}  // namespace

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string to_hex(std::span<const unsigned char> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const auto b : bytes) {
        text += digits[b >> 4U];
        text += digits[b & 15U];
    }
    return text;
}

bool is_name(std::string_view text) {
    if (text.empty() || text.size() > longest_name) return false;
    const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    for (std::size_t at = 0; at < text.size();) {
        const auto length = length_from(byte(at));
        if (length == 0 || at + length > text.size()) return false;
        if (length == 1 && (byte(at) < ' ' || byte(at) == 0x7F)) return false;
        if (length > 1 && !is_second(byte(at), byte(at + 1))) return false;
        for (std::size_t i = 1; i < length; ++i) {
            if ((byte(at + i) & 0xC0U) != 0x80) return false;
        }
        // C1 control characters.
        if (length == 2 && byte(at) == 0xC2 && byte(at + 1) < 0xA0) return false;
        at += length;
    }
    return true;
}

}  // namespace exportd::access
