#pragma once

#include <exportd/http/message.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace exportd::http {

using form_fields = std::vector<std::pair<std::string, std::string>>;

// The fields of a body of type application/x-www-form-urlencoded (WHATWG URL section 5.1).
// Nothing for another type or a malformed body.
std::optional<form_fields> parse_form(const request& r);

// The only field of that name; empty if it is missing or came twice.
std::string field_of(const form_fields& form, std::string_view name);

}  // namespace exportd::http
