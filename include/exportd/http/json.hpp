#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace exportd::http {

// A JSON string literal; see observe::append_json_string().
std::string json_string(std::string_view text);

// Builds one JSON object, members in the order of the calls.
class json_object {
public:
    json_object& text(std::string_view name, std::string_view value) {
        return raw(name, json_string(value));
    }
    json_object& boolean(std::string_view name, bool value) {
        return raw(name, value ? "true" : "false");
    }
    json_object& null(std::string_view name) { return raw(name, "null"); }
    template <std::integral T>
    json_object& number(std::string_view name, T value) {
        return raw(name, std::to_string(value));
    }
    // `json` is a value already in JSON.
    json_object& raw(std::string_view name, std::string_view json);

    std::string done() && {
        text_ += '}';
        return std::move(text_);
    }

private:
    std::string text_ = "{";
};

}  // namespace exportd::http
