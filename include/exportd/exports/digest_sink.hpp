#pragma once

#include <exportd/rows/byte_sink.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace exportd::exports {

// Hands all bytes on and tells finish() their SHA-256 (FIPS 180-4) in totals::sha256.
class digest_sink final : public rows::byte_sink {
public:
    explicit digest_sink(rows::byte_sink& next);
    ~digest_sink() override;

    boost::asio::awaitable<void> write(rows::byte_buffer& chunk) override;
    boost::asio::awaitable<void> finish(rows::totals sent) override;
    void abort() noexcept override;

    // 32 bytes; set by finish().
    const std::optional<std::string>& sha256() const noexcept { return sha256_; }

private:
    struct hash;
    rows::byte_sink& next_;
    std::unique_ptr<hash> hash_;
    std::optional<std::string> sha256_;
};

// Lower-case hexadecimal, and base64 with padding (RFC 4648 sections 8 and 4).
std::string to_hex(std::string_view bytes);
std::string to_base64(std::string_view bytes);

}  // namespace exportd::exports
