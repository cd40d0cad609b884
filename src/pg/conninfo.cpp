#include <exportd/pg/conninfo.hpp>
#include <exportd/pg/server_error.hpp>

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>
#include <libpq-fe.h>
#include <memory>

namespace exportd::pg {
namespace {

using options = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

options parse(const std::string& url) {
    char* error = nullptr;
    options parsed{PQconninfoParse(url.c_str(), &error), PQconninfoFree};
    const std::unique_ptr<char, decltype(&PQfreemem)> owned{error, PQfreemem};
    if (!parsed) {
        throw server_error{errc::database_unavailable,
                           {},
                           error ? error : "the connection string can't be parsed"};
    }
    return parsed;
}

std::string value_of(const options& all, std::string_view keyword) {
    for (auto* o = all.get(); o && o->keyword; ++o) {
        if (keyword == o->keyword) return o->val ? o->val : "";
    }
    return {};
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts;
    if (list.empty()) return parts;
    std::size_t begin = 0;
    for (;;) {
        const auto comma = list.find(',', begin);
        parts.push_back(list.substr(begin, comma - begin));
        if (comma == std::string::npos) return parts;
        begin = comma + 1;
    }
}

std::vector<server_address> pair_up(const std::vector<std::string>& hosts,
                                    const std::vector<std::string>& addresses,
                                    const std::vector<std::string>& ports) {
    const auto count = std::max({hosts.size(), addresses.size(), std::size_t{1}});
    const auto mismatch = [count](const auto& list) {
        return !list.empty() && list.size() != count;
    };
    if (mismatch(hosts) || mismatch(addresses) || (ports.size() > 1 && ports.size() != count)) {
        throw server_error{errc::database_unavailable,
                           {},
                           "the connection string has lists of hosts and ports that don't match"};
    }
    std::vector<server_address> servers(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (!hosts.empty()) servers[i].host = hosts[i];
        if (!addresses.empty()) servers[i].hostaddr = addresses[i];
        if (!ports.empty()) servers[i].port = ports.size() == 1 ? ports[0] : ports[i];
    }
    return servers;
}

std::optional<std::chrono::milliseconds> parse_timeout(const std::string& seconds) {
    int value = 0;
    const auto* end = seconds.data() + seconds.size();
    if (std::from_chars(seconds.data(), end, value).ec != std::errc{} || value <= 0) return {};
    return std::chrono::seconds{value};
}

bool handled_apart(std::string_view keyword) {
    return keyword == "host" || keyword == "hostaddr" || keyword == "port" ||
           keyword == "target_session_attrs" || keyword == "connect_timeout" ||
           keyword == "options";
}

void check_port(const std::string& port) {
    int number = 0;
    const char* end = port.data() + port.size();
    const auto [rest, ec] = std::from_chars(port.data(), end, number);
    if (port.empty() || (ec == std::errc{} && rest == end && number >= 1 && number <= 65'535))
        return;
    throw server_error{errc::database_unavailable, {}, "a port is not a number from 1 to 65535"};
}

}  // namespace

bool server_address::needs_resolving() const {
    if (!hostaddr.empty() || host.empty() || host.front() == '/' || host.front() == '@')
        return false;
    boost::system::error_code not_numeric;
    boost::asio::ip::make_address(host, not_numeric);
    return not_numeric.failed();
}

conninfo::conninfo(const std::string& url) {
    const auto given = parse(url);
    const options defaults{PQconndefaults(), PQconninfoFree};
    const auto value = [&](std::string_view keyword) {
        auto own = value_of(given, keyword);
        return own.empty() ? value_of(defaults, keyword) : own;
    };

    // An address in the environment belongs to the host there, not to one in the string.
    const auto own_host = value_of(given, "host");
    const auto hostaddr = own_host.empty() ? value("hostaddr") : value_of(given, "hostaddr");
    servers_ = pair_up(split(value("host")), split(hostaddr), split(value("port")));

    for (const auto& server : servers_)
        check_port(server.port);

    const auto session = value("target_session_attrs");
    passes_ = session == "prefer-standby" ? std::vector<std::string>{"standby", "any"}
                                          : std::vector<std::string>{session};
    timeout_ = parse_timeout(value("connect_timeout"));

    common_ = {{"client_encoding", "UTF8"},
               {"keepalives", "1"},
               {"keepalives_idle", "30"},
               {"keepalives_interval", "10"},
               {"keepalives_count", "3"},
               {"tcp_user_timeout", "30000"},
               {"fallback_application_name", "exportd"}};
    for (auto* o = given.get(); o && o->keyword; ++o) {
        if (!o->val || handled_apart(o->keyword)) continue;
        const std::string keyword = o->keyword;
        if (keyword == "client_encoding") continue;
        const auto at = std::find_if(common_.begin(), common_.end(),
                                     [&](const parameter& p) { return p.first == keyword; });
        if (at == common_.end()) {
            common_.emplace_back(keyword, o->val);
        } else {
            at->second = o->val;
        }
    }
}

std::vector<conninfo::parameter> conninfo::parameters(const server_address& server,
                                                      const std::string& pass) const {
    auto all = common_;
    const auto add = [&all](const char* keyword, const std::string& value) {
        if (!value.empty()) all.emplace_back(keyword, value);
    };
    add("host", server.host);
    add("hostaddr", server.hostaddr);
    add("port", server.port);
    add("target_session_attrs", pass);
    return all;
}

}  // namespace exportd::pg
