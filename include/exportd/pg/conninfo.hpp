#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace exportd::pg {

// One server to try. Empty strings leave the choice to libpq.
struct server_address {
    std::string host;      // a name, an address or the directory of a Unix socket
    std::string hostaddr;  // numeric, beside the host's name
    std::string port;

    // Whether `host` is a name that has to be resolved before libpq sees it.
    bool needs_resolving() const;
};

// A parsed connection string, with what every connection of this service has: UTF-8,
// keepalives, TCP user timeout. The string's own values win. No `options`: PgBouncer refuses it.
class conninfo {
public:
    using parameter = std::pair<std::string, std::string>;

    // Throws server_error(database_unavailable) when libpq can't parse the string.
    explicit conninfo(const std::string& url);

    // In the order of the string; hosts without a port of their own get the only one.
    const std::vector<server_address>& servers() const noexcept { return servers_; }

    // target_session_attrs of one attempt after the other: `prefer-standby` is a pass over
    // all servers for a standby and then one for any; everything else is a single pass.
    const std::vector<std::string>& passes() const noexcept { return passes_; }

    // The string's connect_timeout, if it has one.
    std::optional<std::chrono::milliseconds> connect_timeout() const noexcept { return timeout_; }

    // What PQconnectStartParams gets for one attempt on one server.
    std::vector<parameter> parameters(const server_address& server, const std::string& pass) const;

private:
    std::vector<parameter> common_;
    std::vector<server_address> servers_;
    std::vector<std::string> passes_;
    std::optional<std::chrono::milliseconds> timeout_;
};

}  // namespace exportd::pg
