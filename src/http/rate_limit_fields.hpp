#pragma once

#include <exportd/access/quota.hpp>
#include <exportd/http/message.hpp>

#include <chrono>
#include <string_view>
#include <vector>

namespace exportd::http {

// Adds RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers): what one caller may
// have in a window, what is left of it, and the seconds until it is whole again.
void add_rate_limit(std::vector<header_field>& fields, std::string_view name,
                    const access::quota::standing& how, std::chrono::seconds window);

}  // namespace exportd::http
