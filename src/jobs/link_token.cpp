#include <exportd/exports/digest_sink.hpp>
#include <exportd/jobs/link_token.hpp>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace exportd::jobs {

namespace {

constexpr std::size_t token_bytes = 32;
constexpr std::size_t token_length = 43;

}  // namespace

std::string make_link_token() {
    std::array<unsigned char, token_bytes> random{};
    if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
        throw std::runtime_error{"the system has no randomness"};
    auto text = exports::to_base64({reinterpret_cast<const char*>(random.data()), random.size()});
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    text.resize(token_length);
    return text;
}

std::string digest_of(std::string_view token) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (EVP_Digest(token.data(), token.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error{"SHA-256 is not available"};
    return exports::to_hex({reinterpret_cast<const char*>(digest.data()), size});
}

bool is_link_token(std::string_view text) noexcept {
    return text.size() == token_length && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_';
           });
}

}  // namespace exportd::jobs
