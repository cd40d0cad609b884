#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace exportd::observe {

// How metrics are written: Prometheus' text format 0.0.4, or OpenMetrics 1.0.
enum class exposition : std::uint8_t { text, openmetrics };

// The form that a request's Accept field asks for (RFC 9110 section 12.5.1): OpenMetrics if it
// names it, in version 1.0.0 or without a version, and does not like text/plain better.
exposition wanted_exposition(std::string_view accept) noexcept;

// The Content-Type of that form.
std::string_view content_type_of(exposition form) noexcept;

// Metrics as they are sent.
struct rendered_metrics {
    std::string_view content_type;
    std::string body;
};

}  // namespace exportd::observe
