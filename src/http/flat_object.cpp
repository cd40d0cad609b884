#include "flat_object.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace exportd::http {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_name = 40;

std::string printable(std::string_view name) {
    std::string text{name.substr(0, longest_name)};
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

problem fault(std::string_view code, std::string parameter, std::string_view detail) {
    auto p = bad_request(code, detail);
    p.parameter = std::move(parameter);
    return p;
}

problem no_object() {
    return bad_request("invalid_body", "The body has to be one JSON object.");
}

// "from, to and export".
std::string names_of(std::span<const member> members) {
    std::string text;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (i > 0) text += i + 1 == members.size() ? " and " : ", ";
        text += members[i].name;
    }
    return text;
}

// Takes the parser's events: a flat object of known members. Each returns whether to go on; a
// fault that was found is in `failure`.
class body_handler {
public:
    static constexpr std::size_t max_object_size = 64;
    static constexpr std::size_t max_array_size = 1;
    static constexpr std::size_t max_key_size = 64 * 1024;
    static constexpr std::size_t max_string_size = 64 * 1024;

    explicit body_handler(std::span<const member> known) : known_{known}, seen_(known.size()) {}

    flat_object found;
    std::optional<problem> failure;

    bool on_document_begin(json::error_code&) { return true; }
    bool on_document_end(json::error_code&) { return true; }
    bool on_object_begin(json::error_code& ec) {
        if (!inside_) {
            inside_ = true;
            return true;
        }
        return wrong_type(ec);
    }
    bool on_object_end(std::size_t, json::error_code&) { return true; }
    bool on_array_begin(json::error_code& ec) { return wrong_type(ec); }
    bool on_array_end(std::size_t, json::error_code&) { return true; }
    bool on_key_part(json::string_view s, std::size_t, json::error_code&) { return add(s); }
    bool on_key(json::string_view s, std::size_t, json::error_code& ec) {
        add(s);
        return begin_member(std::exchange(text_, {}), ec);
    }
    bool on_string_part(json::string_view s, std::size_t, json::error_code&) { return add(s); }
    bool on_string(json::string_view s, std::size_t, json::error_code& ec) {
        add(s);
        return take(member_type::text, std::exchange(text_, {}), ec);
    }
    bool on_number_part(json::string_view, json::error_code&) { return true; }
    bool on_int64(std::int64_t, json::string_view, json::error_code& ec) { return wrong_type(ec); }
    bool on_uint64(std::uint64_t, json::string_view, json::error_code& ec) {
        return wrong_type(ec);
    }
    bool on_double(double, json::string_view, json::error_code& ec) { return wrong_type(ec); }
    bool on_bool(bool value, json::error_code& ec) {
        return take(member_type::truth, value ? "1" : "0", ec);
    }
    bool on_null(json::error_code& ec) { return inside_ || wrong_type(ec); }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }

private:
    bool add(json::string_view s) {
        text_.append(s.data(), s.size());
        return true;
    }

    bool fail(problem p, json::error_code& ec) {
        failure = std::move(p);
        ec = json::error::extra_data;  // any error ends the parser; ours is in `failure`
        return false;
    }

    bool wrong_type(json::error_code& ec) {
        if (current_ == nullptr) return fail(no_object(), ec);
        return fail(fault("invalid_parameter", std::string{current_->name}, current_->rule), ec);
    }

    bool begin_member(const std::string& name, json::error_code& ec) {
        const auto at = std::find_if(known_.begin(), known_.end(),
                                     [&](const member& m) { return m.name == name; });
        if (at == known_.end()) {
            return fail(fault("unknown_parameter", printable(name),
                              "There is no such member; known are " + names_of(known_) + "."),
                        ec);
        }
        current_ = &*at;
        const auto index = static_cast<std::size_t>(at - known_.begin());
        if (seen_[index]) {
            return fail(
                fault("repeated_parameter", name, fmt::format("{} is given more than once.", name)),
                ec);
        }
        seen_[index] = true;
        return true;
    }

    bool take(member_type type, std::string value, json::error_code& ec) {
        if (current_ == nullptr || type != current_->type) return wrong_type(ec);
        found.emplace_back(current_->name, std::move(value));
        return true;
    }

    std::span<const member> known_;
    bool inside_ = false;
    const member* current_ = nullptr;
    std::vector<bool> seen_;
    std::string text_;
};

}  // namespace

std::variant<flat_object, problem> parse_flat_object(std::string_view text,
                                                     std::span<const member> known) {
    json::parse_options options;
    options.max_depth = 2;
    json::basic_parser<body_handler> parser{options, known};
    json::error_code ec;
    const auto used = parser.write_some(false, text.data(), text.size(), ec);
    auto& handler = parser.handler();
    if (handler.failure) return std::move(*handler.failure);
    const auto rest = text.substr(used);
    if (ec || rest.find_first_not_of(" \t\r\n") != std::string_view::npos)
        return bad_request("invalid_body", "The body is not valid JSON.");
    return std::move(handler.found);
}

}  // namespace exportd::http
