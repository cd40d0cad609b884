#include <exportd/access/sign_in.hpp>
#include <exportd/access/text.hpp>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <stdexcept>
#include <vector>

namespace exportd::access {
namespace {

using std::chrono::sys_seconds;

// What a cookie begins with; another layout will have another one.
constexpr std::string_view layout = "1";
constexpr std::size_t cookie_parts = 7;
constexpr std::size_t mark_bytes = 8;
constexpr std::chrono::seconds renewal{60};

std::string hex_of(std::string_view text) {
    return to_hex(std::span{reinterpret_cast<const unsigned char*>(text.data()), text.size()});
}

std::optional<std::string> from_hex(std::string_view hex) {
    if (hex.size() % 2 != 0) return std::nullopt;
    std::string text;
    for (std::size_t at = 0; at < hex.size(); at += 2) {
        unsigned value = 0;
        const auto* end = hex.data() + at + 2;
        if (std::from_chars(hex.data() + at, end, value, 16).ptr != end) return std::nullopt;
        text += static_cast<char>(value);
    }
    return text;
}

std::string random_bytes(std::size_t n) {
    std::vector<unsigned char> bytes(n);
    if (RAND_bytes(bytes.data(), static_cast<int>(n)) != 1)
        throw std::runtime_error{"the system has no randomness"};
    return {bytes.begin(), bytes.end()};
}

// HMAC-SHA256 (RFC 2104) in hex. `purpose` keeps one kind of text from being taken for another.
std::string seal(const std::string& key, std::string_view purpose, std::string_view text) {
    const auto message = fmt::format("exportd {} {}", purpose, text);
    std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
    unsigned size = 0;
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(message.data()), message.size(), out.data(),
             &size) == nullptr) {
        throw std::runtime_error{"HMAC-SHA256 is not to be had"};
    }
    return to_hex(std::span{out.data(), size});
}

bool same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string mark_of(const token_entry& token) {
    return to_hex(std::span{token.digest}.first(mark_bytes));
}

std::optional<sys_seconds> read_time(std::string_view text) {
    std::int64_t count = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, count);
    if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
    return sys_seconds{std::chrono::seconds{count}};
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    while (parts.size() <= cookie_parts) {
        const auto dot = text.find('.');
        parts.push_back(text.substr(0, dot));
        if (dot == std::string_view::npos) break;
        text.remove_prefix(dot + 1);
    }
    return parts;
}

std::string content_of(const sign_in& s) {
    return fmt::format("{}.{}.{}.{}.{}.{}", layout, s.id, hex_of(s.token), s.mark,
                       s.began.time_since_epoch().count(), s.seen.time_since_epoch().count());
}

// Its signature is right already.
std::optional<sign_in> read_content(const std::vector<std::string_view>& parts) {
    if (parts[0] != layout) return std::nullopt;
    auto token = from_hex(parts[2]);
    const auto began = read_time(parts[4]);
    const auto seen = read_time(parts[5]);
    if (!token || !began || !seen) return std::nullopt;
    return sign_in{std::string{parts[1]}, std::move(*token), std::string{parts[3]}, *began, *seen};
}

sys_seconds whole(sign_ins::clock::time_point t) {
    return std::chrono::floor<std::chrono::seconds>(t);
}

}  // namespace

sign_ins::sign_ins(sign_in_options options) : options_{std::move(options)} {
    constexpr std::size_t key_bytes = 32;
    if (options_.key.empty()) options_.key = random_bytes(key_bytes);
}

sign_in sign_ins::begin(const token_entry& token, clock::time_point now) {
    constexpr std::size_t id_bytes = 16;
    return {hex_of(random_bytes(id_bytes)), token.name, mark_of(token), whole(now), whole(now)};
}

std::string sign_ins::to_cookie(const sign_in& s) const {
    auto text = content_of(s);
    const auto signature = seal(options_.key, "sign-in", text);
    return text + '.' + signature;
}

bool sign_ins::in_time(const sign_in& s, clock::time_point now) const {
    return now < s.began + options_.lifetime && now < s.seen + options_.idle;
}

std::optional<sign_in> sign_ins::find(std::string_view cookie, const policy& by,
                                      clock::time_point now) const {
    const auto parts = split(cookie);
    if (parts.size() != cookie_parts) return std::nullopt;
    const auto content = cookie.substr(0, cookie.size() - parts.back().size() - 1);
    if (!same(seal(options_.key, "sign-in", content), parts.back())) return std::nullopt;
    auto s = read_content(parts);
    if (!s || !in_time(*s, now) || ended_.contains(s->id)) return std::nullopt;
    const auto* token = by.find_token_named(s->token);
    if (token == nullptr || mark_of(*token) != s->mark) return std::nullopt;
    if (token->expires && *token->expires <= now) return std::nullopt;
    return s;
}

bool sign_ins::due(const sign_in& s, clock::time_point now) const {
    return now >= s.seen + std::min(renewal, options_.idle / 4);
}

void sign_ins::end(const sign_in& s) {
    std::erase_if(ended_, [now = whole(clock::now())](const auto& e) { return e.second <= now; });
    if (ended_.size() >= options_.most_ended) {
        // The one whose cookie dies first makes room.
        ended_.erase(
            std::min_element(ended_.begin(), ended_.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; }));
    }
    ended_.emplace(s.id, s.began + options_.lifetime);
}

std::string sign_ins::csrf_token(const sign_in& s) const {
    return seal(options_.key, "csrf", s.id);
}

bool sign_ins::is_csrf_token(const sign_in& s, std::string_view text) const {
    return same(csrf_token(s), text);
}

}  // namespace exportd::access
