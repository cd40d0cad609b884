#include <exportd/pg/conninfo.hpp>
#include <exportd/pg/transport.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <string_view>

namespace exportd::pg {

namespace {

bool stays_here(const server_address& server) {
    const auto& host = server.hostaddr.empty() ? server.host : server.hostaddr;
    // Empty is a Unix socket, too, where libpq's default host is none.
    if (host.empty() || host.front() == '/' || host.front() == '@' || host == "localhost")
        return true;
    boost::system::error_code no_address;
    const auto address = boost::asio::ip::make_address(host, no_address);
    return !no_address && address.is_loopback();
}

}  // namespace

bool is_exposed(const std::string& url) {
    try {
        const conninfo parsed{url};
        return std::any_of(
            parsed.servers().begin(), parsed.servers().end(), [&](const server_address& server) {
                if (stays_here(server)) return false;
                const auto all = parsed.parameters(server, parsed.passes().front());
                return std::none_of(all.begin(), all.end(), [](const conninfo::parameter& p) {
                    return p.first == "sslmode" && p.second == "verify-full";
                });
            });
    } catch (const boost::system::system_error&) {
        return false;
    }
}

}  // namespace exportd::pg
