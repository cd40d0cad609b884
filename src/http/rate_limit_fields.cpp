#include "rate_limit_fields.hpp"

#include <fmt/format.h>

namespace exportd::http {

void add_rate_limit(std::vector<header_field>& fields, std::string_view name,
                    const access::quota::standing& how, std::chrono::seconds window) {
    fields.push_back(
        {"RateLimit-Policy", fmt::format("\"{}\";q={};w={}", name, how.limit, window.count())});
    fields.push_back(
        {"RateLimit", fmt::format("\"{}\";r={};t={}", name, how.remaining, how.reset.count())});
}

}  // namespace exportd::http
