#include "mime.hpp"

#include <exportd/exports/digest_sink.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace exportd::jobs {

namespace {

// Bytes that make a line of 76 characters, and an encoded word of 75 with its 12 around it.
constexpr std::size_t bytes_of_line = 57;
constexpr std::size_t bytes_of_word = 45;

// No line of base64 holds a hyphen, so it is in no part.
constexpr std::string_view boundary = "exportd-alternative";

bool is_printable_ascii(char c) {
    return c >= ' ' && c <= '~';
}

bool is_id_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

bool begins_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

std::string wire_lines(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\r') continue;
        if (c == '\n') out += '\r';
        out += c;
    }
    return out;
}

std::string part(std::string_view type, std::string_view text) {
    std::string out = fmt::format(
        "--{}\r\nContent-Type: {}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n",
        boundary, type);
    const std::string lines = wire_lines(text);
    for (std::size_t at = 0; at < lines.size(); at += bytes_of_line)
        out += exports::to_base64(std::string_view{lines}.substr(at, bytes_of_line)) + "\r\n";
    return out;
}

std::string sender(const mailbox& from) {
    if (from.name.empty()) return from.address;
    // parse_mailbox() leaves nothing in a name that would have to be escaped between quotes.
    const std::string encoded = header_text(from.name);
    return encoded == from.name ? fmt::format("\"{}\" <{}>", from.name, from.address)
                                : fmt::format("{}\r\n <{}>", encoded, from.address);
}

}  // namespace

std::string letter_fault(const letter& l) {
    if (!is_mail_address(l.to)) return "the address is none";
    if (l.subject.empty() || std::any_of(l.subject.begin(), l.subject.end(), [](char c) {
            return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
        }))
        return "the subject is empty or has control characters";
    if (l.message_id.empty() || l.message_id.size() > 128 ||
        !std::all_of(l.message_id.begin(), l.message_id.end(), is_id_character))
        return "the id has other characters than letters, digits, hyphens and underscores";
    return {};
}

std::string mime_message(const letter& l, const mailbox& from, std::chrono::sys_seconds now) {
    const std::string_view domain =
        std::string_view{from.address}.substr(from.address.rfind('@') + 1);
    std::string out;
    out += "Date: " + mail_date(now) + "\r\n";
    out += "From: " + sender(from) + "\r\n";
    out += "To: " + l.to + "\r\n";
    out += "Subject: " + header_text(l.subject) + "\r\n";
    out += fmt::format("Message-ID: <{}@{}>\r\n", l.message_id, domain);
    // Keeps answers of absent people away: RFC 3834, and Exchange's own field.
    out += "Auto-Submitted: auto-generated\r\nX-Auto-Response-Suppress: All\r\n";
    out += "MIME-Version: 1.0\r\n";
    out += fmt::format("Content-Type: multipart/alternative; boundary=\"{}\"\r\n\r\n", boundary);
    out += part("text/plain", l.plain);
    out += part("text/html", l.html);
    out += fmt::format("--{}--\r\n", boundary);
    return out;
}

std::string header_text(std::string_view text) {
    constexpr std::size_t longest_line = 60;  // behind the field's name
    const bool plain = std::all_of(text.begin(), text.end(), is_printable_ascii);
    if (plain && text.size() <= longest_line && text.find("=?") == std::string_view::npos)
        return std::string{text};
    std::string out;
    while (!text.empty()) {
        std::size_t length = std::min(text.size(), bytes_of_word);
        while (length < text.size() && length > 1 && !begins_character(text[length]))
            --length;
        if (!out.empty()) out += "\r\n ";
        out += "=?utf-8?B?" + exports::to_base64(text.substr(0, length)) + "?=";
        text.remove_prefix(length);
    }
    return out;
}

std::string mail_date(std::chrono::sys_seconds now) {
    using namespace std::chrono;
    constexpr std::array days_of_week{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = floor<days>(now);
    const year_month_day date{day};
    const hh_mm_ss time{now - day};
    return fmt::format(
        "{}, {:02} {} {} {:02}:{:02}:{:02} +0000", days_of_week.at(weekday{day}.c_encoding()),
        static_cast<unsigned>(date.day()), months.at(static_cast<unsigned>(date.month()) - 1),
        static_cast<int>(date.year()), time.hours().count(), time.minutes().count(),
        time.seconds().count());
}

}  // namespace exportd::jobs
