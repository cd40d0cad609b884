#include <exportd/http/page_asset.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace exportd::http {

const page_asset* find_page_asset(std::string_view name) {
    const auto all = page_assets();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const page_asset& a) { return a.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::string_view content_type_of(const page_asset& a) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> types{{
        {".html", "text/html; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".json", "application/json"},
    }};
    for (const auto& [ending, type] : types) {
        if (a.name.ends_with(ending)) return type;
    }
    return "application/octet-stream";
}

std::vector<header_field> page_fields() {
    return {{"Content-Security-Policy",
             "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
             "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
             "frame-ancestors 'self'"},
            {"Referrer-Policy", "same-origin"},
            {"X-Frame-Options", "SAMEORIGIN"},
            {"Cross-Origin-Opener-Policy", "same-origin"},
            {"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()"}};
}

}  // namespace exportd::http
