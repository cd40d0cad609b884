#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace exportd::jobs {

// scheme://host[:port] of a server that this service talks to through libcurl.
struct server_url {
    std::string scheme;      // in lower case
    std::string host;        // as in a URL: an IPv6 address in brackets
    std::uint16_t port = 0;  // 0: the scheme's own
    bool loopback = false;   // 127.0.0.0/8, [::1] or localhost

    std::string authority() const;  // host or host:port
    std::string text() const;       // scheme://authority
};

// Nothing if `text` is no such URL: also if it has a user, a path other than `/`, a query or a
// fragment.
std::optional<server_url> parse_server_url(std::string_view text);

}  // namespace exportd::jobs
