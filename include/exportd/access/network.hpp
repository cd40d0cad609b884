#pragma once

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace exportd::access {

// Whether `text` is an IPv4 or IPv6 address and nothing else.
bool is_address(std::string_view text);

// A list of networks, such as "10.0.0.0/8, ::1/128, 192.168.1.1". An IPv4 address that is written
// as an IPv6 one (RFC 4291 section 2.5.5.2) counts as the IPv4 address.
class networks {
public:
    networks() = default;

    // Nothing if the text is no such list, or a network has bits set behind its prefix.
    static std::optional<networks> parse(std::string_view text);

    // False for what is no address.
    bool contains(std::string_view address) const;

    bool empty() const noexcept { return all_.empty(); }

private:
    struct network {
        boost::asio::ip::address base;
        unsigned prefix = 0;
    };
    static std::optional<network> parse_one(std::string_view text);

    std::vector<network> all_;
};

}  // namespace exportd::access
