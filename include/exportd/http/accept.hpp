#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace exportd::http {

// Which of the media types on offer an Accept field wants most (RFC 9110 section 12.5.1): by the
// quality of the most specific range that matches, on a tie the one that is offered first. Nothing
// in the field means that any will do; nullopt: none of them will.
std::optional<std::string_view> negotiate(std::string_view accept,
                                          std::span<const std::string_view> offered);

}  // namespace exportd::http
