#include <exportd/access/text.hpp>
#include <exportd/access/token.hpp>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace exportd::access {
namespace {

constexpr std::size_t random_bytes = 32;

std::string to_base64url(const std::array<unsigned char, random_bytes>& bytes) {
    std::array<unsigned char, 2 * random_bytes> out{};
    const auto size = EVP_EncodeBlock(out.data(), bytes.data(), static_cast<int>(bytes.size()));
    std::string text{out.begin(), out.begin() + size};
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    text.erase(text.find_last_not_of('=') + 1);
    return text;
}

int value_of(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

}  // namespace

std::string make_token() {
    std::array<unsigned char, random_bytes> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw std::runtime_error{"the system has no randomness"};
    return "xpd_" + to_base64url(bytes);
}

token_digest digest_of_token(std::string_view token) {
    token_digest digest{};
    unsigned size = 0;
    if (EVP_Digest(token.data(), token.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error{"SHA-256 is not to be had"};
    return digest;
}

std::string to_text(const token_digest& digest) {
    return to_hex(digest);
}

std::optional<token_digest> parse_digest(std::string_view text) {
    token_digest digest{};
    if (text.size() != 2 * digest.size()) return std::nullopt;
    for (std::size_t i = 0; i < digest.size(); ++i) {
        const int high = value_of(text[2 * i]);
        const int low = value_of(text[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        digest[i] = static_cast<unsigned char>(high * 16 + low);
    }
    return digest;
}

bool is_token_name(std::string_view text) {
    constexpr std::size_t longest = 64;
    return !text.empty() && text.size() <= longest &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view{"._-@"}.find(c) != std::string_view::npos;
           });
}

}  // namespace exportd::access
