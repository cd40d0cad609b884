#include <exportd/access/authenticator.hpp>
#include <exportd/access/text.hpp>
#include <exportd/http/cross_site.hpp>

#include <boost/beast/core/string.hpp>

namespace exportd::http {
namespace {

namespace beast = boost::beast;

// https://host:port without the scheme.
std::string_view authority_of(std::string_view url) {
    const auto at = url.find("://");
    if (at == std::string_view::npos) return {};
    url.remove_prefix(at + 3);
    return url.substr(0, url.find('/'));
}

// A field that came twice is worth as little as one that says nothing.
std::string_view field_of(const request& r, std::string_view name) {
    return access::credentials{r.fields}.only(name).value_or(std::string_view{});
}

bool has_field(const request& r, std::string_view name) {
    return access::credentials{r.fields}.count(name) > 0;
}

bool is_own_origin(const request& r, std::string_view own_url) {
    const auto origin = authority_of(field_of(r, "Origin"));
    return !origin.empty() && (beast::iequals(origin, field_of(r, "Host")) ||
                               beast::iequals(origin, authority_of(own_url)));
}

}  // namespace

bool changes_something(const request& r) {
    return r.method != "GET" && r.method != "HEAD";
}

bool is_foreign(const request& r, std::string_view own_url) {
    if (has_field(r, "Sec-Fetch-Site")) {
        const auto site = field_of(r, "Sec-Fetch-Site");
        const bool own = site == "same-origin" || site == "none";
        return !own && (changes_something(r) || !is_navigation(r));
    }
    return changes_something(r) && has_field(r, "Origin") && !is_own_origin(r, own_url);
}

bool is_from_browser(const request& r) {
    return has_field(r, "Sec-Fetch-Mode");
}

bool is_navigation(const request& r) {
    return field_of(r, "Sec-Fetch-Mode") == "navigate";
}

std::string_view find_cookie(const request& r, std::string_view name) {
    std::string_view found;
    bool seen = false;
    for (const auto& [key, value] : r.fields) {
        if (!beast::iequals(key, "Cookie")) continue;
        std::string_view rest = value;
        while (!rest.empty()) {
            const auto end = rest.find(';');
            const auto pair = access::trim(rest.substr(0, end));
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
            const auto equals = pair.find('=');
            if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
            if (seen) return {};
            seen = true;
            found = pair.substr(equals + 1);
        }
    }
    return found;
}

}  // namespace exportd::http
