#include <exportd/jobs/server_url.hpp>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>

namespace exportd::jobs {

namespace {

namespace urls = boost::urls;

std::string lower(std::string_view text) {
    std::string out{text};
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return out;
}

bool is_loopback(const urls::url_view& url) {
    switch (url.host_type()) {
        case urls::host_type::ipv4:
            return url.host_ipv4_address().is_loopback();
        case urls::host_type::ipv6:
            return url.host_ipv6_address().is_loopback();
        case urls::host_type::name:
            return lower(url.host()) == "localhost";
        default:
            return false;
    }
}

}  // namespace

std::string server_url::authority() const {
    return port == 0 ? host : host + ":" + std::to_string(port);
}

std::string server_url::text() const {
    return scheme + "://" + authority();
}

std::optional<server_url> parse_server_url(std::string_view text) {
    const auto parsed = urls::parse_uri({text.data(), text.size()});
    if (!parsed) return std::nullopt;
    const urls::url_view url = *parsed;
    const std::string path = url.path();
    const auto type = url.host_type();
    if (!url.has_authority() || url.has_userinfo() || (path != "" && path != "/") ||
        url.has_query() || url.has_fragment() || url.host().empty() ||
        type == urls::host_type::none || type == urls::host_type::ipvfuture)
        return std::nullopt;
    if (url.has_port() && std::string{url.port()} != std::to_string(url.port_number()))
        return std::nullopt;
    server_url found;
    found.scheme = lower(url.scheme());
    found.host = lower(url.encoded_host());
    found.port = url.port_number();
    found.loopback = is_loopback(url);
    if (url.has_port() && found.port == 0) return std::nullopt;
    if (found.host.find('%') != std::string::npos) return std::nullopt;
    return found;
}

}  // namespace exportd::jobs
