#pragma once

#include <exportd/http/message.hpp>

#include <string_view>

namespace exportd::http {

// Whether the method is one that changes something: neither GET nor HEAD.
bool changes_something(const request& r);

// Whether another site's page has a browser send this request, where no page but this service's
// own may. Browsers say so by Sec-Fetch-Site (W3C Fetch Metadata); following a link is all right.
// Older ones have Origin, which for a change has to be of the request's Host or of `own_url`.
// Programs send neither.
bool is_foreign(const request& r, std::string_view own_url);

// Whether a browser sends it, and whether it shows the answer as a page of its own.
bool is_from_browser(const request& r);
bool is_navigation(const request& r);

// The value of a cookie (RFC 6265 section 5.4). Empty if there is none or several of that name,
// of which one may be somebody else's.
std::string_view find_cookie(const request& r, std::string_view name);

}  // namespace exportd::http
