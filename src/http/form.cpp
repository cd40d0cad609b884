#include "form.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/url/encoding_opts.hpp>
#include <boost/url/parse_query.hpp>

namespace exportd::http {
namespace {

bool is_form_type(std::string_view type) {
    constexpr std::string_view form = "application/x-www-form-urlencoded";
    const auto end = type.find_first_of("; ");
    return boost::beast::iequals(type.substr(0, end), form);
}

}  // namespace

std::optional<form_fields> parse_form(const request& r) {
    if (!is_form_type(r.content_type)) return std::nullopt;
    const auto parsed = boost::urls::parse_query(r.body);
    if (!parsed) return std::nullopt;
    boost::urls::encoding_opts decoding;
    decoding.space_as_plus = true;
    form_fields form;
    for (const auto& field : *parsed)
        form.emplace_back(field.key.decode(decoding), field.value.decode(decoding));
    return form;
}

std::string field_of(const form_fields& form, std::string_view name) {
    const std::string* found = nullptr;
    for (const auto& [key, value] : form) {
        if (key != name) continue;
        if (found != nullptr) return {};
        found = &value;
    }
    return found == nullptr ? std::string{} : *found;
}

}  // namespace exportd::http
