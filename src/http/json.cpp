#include <exportd/http/json.hpp>
#include <exportd/observe/json_text.hpp>

namespace exportd::http {

std::string json_string(std::string_view text) {
    std::string literal;
    observe::append_json_string(literal, text);
    return literal;
}

json_object& json_object::raw(std::string_view name, std::string_view json) {
    if (text_.size() > 1) text_ += ',';
    text_ += json_string(name);
    text_ += ':';
    text_ += json;
    return *this;
}

}  // namespace exportd::http
