#include <exportd/jobs/mailer.hpp>

#include <algorithm>

namespace exportd::jobs {

namespace {

constexpr std::size_t longest_address = 254;  // RFC 5321 section 4.5.3.1.3, less its <>
constexpr std::size_t longest_local = 64;     // section 4.5.3.1.1
constexpr std::size_t longest_label = 63;     // RFC 1035 section 2.3.4

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

bool is_alphanumeric(char c) noexcept {
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z');
}

bool is_atom(std::string_view text) noexcept {
    constexpr std::string_view others = "!#$%&'*+-/=?^_`{|}~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return is_alphanumeric(c) || others.find(c) != std::string_view::npos;
    });
}

bool is_label(std::string_view text) noexcept {
    return !text.empty() && text.size() <= longest_label && text.front() != '-' &&
           text.back() != '-' && std::all_of(text.begin(), text.end(), [](char c) {
               return is_alphanumeric(c) || c == '-';
           });
}

// Calls `each` for every part of `text` between separators, until it says no.
template <class Each>
bool all_parts(std::string_view text, char separator, Each each) {
    for (;;) {
        const std::size_t end = text.find(separator);
        if (!each(text.substr(0, end))) return false;
        if (end == std::string_view::npos) return true;
        text.remove_prefix(end + 1);
    }
}

bool is_domain(std::string_view text) noexcept {
    const std::size_t last = text.rfind('.');
    if (last == std::string_view::npos || !all_parts(text, '.', is_label)) return false;
    // Else it would be an IP address.
    return !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(last) + 1, text.end(), is_digit);
}

std::string_view trimmed(std::string_view text) noexcept {
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return text;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

bool is_name_character(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte != 0x7F && c != '"' && c != '\\' && c != '<' && c != '>';
}

}  // namespace

bool is_mail_address(std::string_view text) noexcept {
    const std::size_t at = text.rfind('@');
    if (text.size() > longest_address || at == std::string_view::npos) return false;
    const std::string_view local = text.substr(0, at);
    return local.size() <= longest_local && all_parts(local, '.', is_atom) &&
           is_domain(text.substr(at + 1));
}

bool is_allowed(std::string_view address, std::string_view domains) {
    if (!is_mail_address(address)) return false;
    const std::string_view domain = address.substr(address.rfind('@') + 1);
    return !all_parts(domains, ',', [&](std::string_view part) {
        const std::string_view allowed = trimmed(part);
        return allowed != "*" && !equal_ignoring_case(allowed, domain);
    });
}

bool are_mail_domains(std::string_view text) {
    return text.empty() || all_parts(text, ',', [](std::string_view part) {
               const std::string_view domain = trimmed(part);
               return domain == "*" || is_domain(domain);
           });
}

std::optional<mailbox> parse_mailbox(std::string_view text) {
    mailbox found;
    std::string_view address = trimmed(text);
    if (address.ends_with('>')) {
        const std::size_t open = address.find('<');
        if (open == std::string_view::npos) return std::nullopt;
        found.name = trimmed(address.substr(0, open));
        address = address.substr(open + 1, address.size() - open - 2);
    }
    if (!is_mail_address(address) ||
        !std::all_of(found.name.begin(), found.name.end(), is_name_character))
        return std::nullopt;
    found.address = address;
    return found;
}

}  // namespace exportd::jobs
