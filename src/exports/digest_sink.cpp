#include <exportd/exports/digest_sink.hpp>

#include <openssl/evp.h>

#include <array>
#include <new>
#include <string>

namespace exportd::exports {

struct digest_sink::hash {
    hash() : context{EVP_MD_CTX_new()} {
        if (context == nullptr || EVP_DigestInit_ex(context, EVP_sha256(), nullptr) != 1) {
            EVP_MD_CTX_free(context);
            throw std::bad_alloc{};
        }
    }
    ~hash() { EVP_MD_CTX_free(context); }
    hash(const hash&) = delete;
    hash& operator=(const hash&) = delete;

    EVP_MD_CTX* context;
};

digest_sink::digest_sink(rows::byte_sink& next) : next_{next}, hash_{std::make_unique<hash>()} {
}
digest_sink::~digest_sink() = default;

boost::asio::awaitable<void> digest_sink::write(rows::byte_buffer& chunk) {
    EVP_DigestUpdate(hash_->context, chunk.data(), chunk.size());
    co_await next_.write(chunk);
}

boost::asio::awaitable<void> digest_sink::finish(rows::totals sent) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    EVP_DigestFinal_ex(hash_->context, bytes.data(), &size);
    sha256_.emplace(reinterpret_cast<const char*>(bytes.data()), size);
    sent.sha256 = sha256_;
    co_await next_.finish(std::move(sent));
}

void digest_sink::abort() noexcept {
    next_.abort();
}

std::string to_hex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += digits[byte >> 4U];
        text += digits[byte & 15U];
    }
    return text;
}

std::string to_base64(std::string_view bytes) {
    // EVP_EncodeBlock adds a NUL behind its text.
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                    reinterpret_cast<const unsigned char*>(bytes.data()),
                    static_cast<int>(bytes.size()));
    text.pop_back();
    return text;
}

}  // namespace exportd::exports
