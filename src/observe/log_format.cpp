#include <exportd/observe/log_format.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace exportd::observe {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// Bytes of the UTF-8 character at the start of `text`, which is not empty; 0 if there is none
// (RFC 3629: no overlong forms, no surrogates, nothing over U+10FFFF).
std::size_t character_size(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t size = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
    if (size == 0 || text.size() < size) return 0;
    const unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < least || byte(1) > most) return 0;
    for (std::size_t i = 2; i < size; ++i) {
        if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
    }
    return size;
}

void append_escaped_ascii(std::string& out, char c) {
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
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7F) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
    } else {
        out += c;
    }
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        if (size == 1) {
            append_escaped_ascii(out, text.front());
        } else {
            out += size == 0 ? replacement : text.substr(0, size);
        }
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    out += '"';
}

bool is_plain(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '-' || c == '_' || c == '.' || c == ':' || c == '/';
    });
}

struct value_writer {
    std::string& out;
    log_format format;

    void operator()(std::int64_t value) const {
        fmt::format_to(std::back_inserter(out), "{}", value);
    }
    void operator()(double value) const {
        if (format == log_format::json && !std::isfinite(value)) {
            out += "null";
        } else {
            fmt::format_to(std::back_inserter(out), "{}", value);
        }
    }
    void operator()(bool value) const { out += value ? "true" : "false"; }
    void operator()(const std::string& value) const {
        if (format == log_format::text && is_plain(value)) {
            out += value;
        } else {
            append_quoted(out, value);
        }
    }
};

// As in RFC 3339, in UTC, with milliseconds.
std::string time_text(std::chrono::system_clock::time_point time) {
    using namespace std::chrono;
    const auto day = floor<days>(time);
    const year_month_day date{day};
    const hh_mm_ss clock{floor<milliseconds>(time - day)};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                       clock.subseconds().count());
}

std::string json_line(const event& e, std::chrono::system_clock::time_point time) {
    std::string out = fmt::format("{{\"time\":\"{}\",\"level\":\"{}\",\"event\":", time_text(time),
                                  level_name(e.severity()));
    append_quoted(out, e.name());
    for (const field& f : e.fields()) {
        out += ',';
        append_quoted(out, f.key);
        out += ':';
        std::visit(value_writer{out, log_format::json}, f.value);
    }
    out += '}';
    return out;
}

std::string text_line(const event& e, std::chrono::system_clock::time_point time) {
    std::string out = fmt::format("{} {} {}", time_text(time), level_name(e.severity()), e.name());
    for (const field& f : e.fields()) {
        out += ' ';
        out += f.key;
        out += '=';
        std::visit(value_writer{out, log_format::text}, f.value);
    }
    return out;
}

}  // namespace

std::string format_event(const event& e, std::chrono::system_clock::time_point time,
                         log_format format) {
    return format == log_format::json ? json_line(e, time) : text_line(e, time);
}

}  // namespace exportd::observe
