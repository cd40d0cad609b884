#include <exportd/http/json.hpp>

#include <fmt/format.h>

#include <cstdint>

namespace exportd::http {
namespace {

// Bytes of the well-formed UTF-8 sequence at the front (Unicode 15, table 3-7); 0 if there is none.
std::size_t sequence_length(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const auto within = [&](std::size_t i, unsigned low, unsigned high) {
        return i < text.size() && byte(i) >= low && byte(i) <= high;
    };
    const unsigned lead = byte(0);
    if (lead < 0x80U) return 1;
    if (lead >= 0xC2U && lead <= 0xDFU) return within(1, 0x80U, 0xBFU) ? 2 : 0;
    if (lead >= 0xE0U && lead <= 0xEFU) {
        const unsigned low = lead == 0xE0U ? 0xA0U : 0x80U;
        const unsigned high = lead == 0xEDU ? 0x9FU : 0xBFU;
        return within(1, low, high) && within(2, 0x80U, 0xBFU) ? 3 : 0;
    }
    if (lead >= 0xF0U && lead <= 0xF4U) {
        const unsigned low = lead == 0xF0U ? 0x90U : 0x80U;
        const unsigned high = lead == 0xF4U ? 0x8FU : 0xBFU;
        return within(1, low, high) && within(2, 0x80U, 0xBFU) && within(3, 0x80U, 0xBFU) ? 4 : 0;
    }
    return 0;
}

void append_ascii(std::string& out, char c) {
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            break;
    }
    if (c < ' ' || c == '\x7F') {
        out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
        out += c;
    }
}

}  // namespace

std::string json_string(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (length == 0) {
            out += "\xEF\xBF\xBD";
        } else if (length == 1) {
            append_ascii(out, text.front());
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out += '"';
    return out;
}

json_object& json_object::raw(std::string_view name, std::string_view json) {
    if (text_.size() > 1) text_ += ',';
    text_ += json_string(name);
    text_ += ':';
    text_ += json;
    return *this;
}

}  // namespace exportd::http
