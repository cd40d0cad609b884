#include <exportd/app/config_key.hpp>
#include <exportd/app/units.hpp>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace exportd::app {

namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;

constexpr std::uint64_t unbounded =
    std::numeric_limits<std::int64_t>::max();  // TOML's largest integer

std::optional<tcp::endpoint> parse_endpoint(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto port = parse_count(text.substr(colon + 1));
    if (!port || *port > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;

    std::string host{text.substr(0, colon)};
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    if (host == "localhost") host = "127.0.0.1";

    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(host, error);
    if (error || address.is_v6() != bracketed) return std::nullopt;
    return tcp::endpoint{address, static_cast<std::uint16_t>(*port)};
}

template <class Value, class Kind>
bool set_between(config& c, const Kind& kind, std::optional<Value> parsed) {
    if (!parsed || *parsed < kind.min || *parsed > kind.max) return false;
    kind.at(c) = *parsed;
    return true;
}

std::string duration_bounds(std::chrono::microseconds min, std::chrono::microseconds max) {
    return "a duration from " + duration_text(min) + " to " + duration_text(max) +
           " with its unit, such as \"250ms\", \"30s\" or \"5m\"";
}

struct assigner {
    config& c;
    std::string_view text;

    bool operator()(const duration_value& kind) const {
        const auto parsed = parse_duration(text);
        if (!parsed || *parsed % 1ms != 0us) return false;
        return set_between<std::chrono::milliseconds>(
            c, kind, std::chrono::duration_cast<std::chrono::milliseconds>(*parsed));
    }
    bool operator()(const short_duration_value& kind) const {
        return set_between<std::chrono::microseconds>(c, kind, parse_duration(text));
    }
    bool operator()(const size_value& kind) const {
        return set_between<std::uint64_t>(c, kind, parse_size(text));
    }
    bool operator()(const count_value& kind) const {
        return set_between<std::uint64_t>(c, kind, parse_count(text));
    }
    bool operator()(const ratio_value& kind) const {
        double value = 0;
        const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (ec != std::errc{} || end != text.data() + text.size()) return false;
        return set_between<double>(c, kind, value);
    }
    bool operator()(const text_value& kind) const {
        if (text.empty() && !kind.optional) return false;
        kind.at(c) = text;
        return true;
    }
    bool operator()(const path_value& kind) const {
        if (text.empty() && !kind.optional) return false;
        kind.at(c) = text;
        return true;
    }
    bool operator()(const endpoint_value& kind) const {
        const auto parsed = parse_endpoint(text);
        if (!parsed) return false;
        kind.at(c) = *parsed;
        return true;
    }
    bool operator()(const choice_value& kind) const { return kind.set(c, text); }
    bool operator()(const flag_value& kind) const {
        if (text != "true" && text != "false") return false;
        kind.at(c) = text == "true";
        return true;
    }
};

struct expecter {
    std::string operator()(const duration_value& kind) const {
        return duration_bounds(kind.min, kind.max);
    }
    std::string operator()(const short_duration_value& kind) const {
        return duration_bounds(kind.min, kind.max);
    }
    std::string operator()(const size_value& kind) const {
        return "a size from " + size_text(kind.min) + " to " + size_text(kind.max) +
               " with its unit, such as \"4096B\", \"64KiB\" or \"1MiB\"";
    }
    std::string operator()(const count_value& kind) const {
        if (kind.max == unbounded) return "a whole number from " + std::to_string(kind.min);
        return "a whole number from " + std::to_string(kind.min) + " to " +
               std::to_string(kind.max);
    }
    std::string operator()(const ratio_value& kind) const {
        return fmt::format("a number from {} to {}", kind.min, kind.max);
    }
    std::string operator()(const text_value& kind) const {
        return kind.optional ? "a text" : "a text that is not empty";
    }
    std::string operator()(const path_value& kind) const {
        return kind.optional ? "a path" : "a path that is not empty";
    }
    std::string operator()(const endpoint_value&) const {
        return "an IP address and a port, such as \"127.0.0.1:8080\" or \"[::1]:8080\"";
    }
    std::string operator()(const flag_value&) const { return "true or false"; }
    std::string operator()(const choice_value& kind) const { return std::string{kind.words}; }
};

}  // namespace

bool is_count(const config_key& key) {
    return std::holds_alternative<count_value>(key.value);
}

bool is_ratio(const config_key& key) {
    return std::holds_alternative<ratio_value>(key.value);
}

bool is_flag(const config_key& key) {
    return std::holds_alternative<flag_value>(key.value);
}

std::string expectation(const config_key& key) {
    return std::visit(expecter{}, key.value);
}

bool assign(config& c, const config_key& key, std::string_view text) {
    return std::visit(assigner{c, text}, key.value);
}

}  // namespace exportd::app
