#include <exportd/app/config_key.hpp>
#include <exportd/app/units.hpp>

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace exportd::app {

namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t MiB = 1024 * KiB;
constexpr std::uint64_t unbounded =
    std::numeric_limits<std::int64_t>::max();  // TOML's largest integer

template <auto Section, auto Member>
auto& at(config& c) {
    return c.*Section.*Member;
}

bool set_auth_mode(config& c, std::string_view word) {
    if (word != "none") return false;
    c.auth.mode = auth_mode::none;
    return true;
}

bool set_log_level(config& c, std::string_view word) {
    for (const auto level : {observe::level::debug, observe::level::info, observe::level::warning,
                             observe::level::error}) {
        if (word != observe::level_name(level)) continue;
        c.log.level = level;
        return true;
    }
    return false;
}

bool set_log_format(config& c, std::string_view word) {
    if (word != "json" && word != "text") return false;
    c.log.format = word == "json" ? observe::log_format::json : observe::log_format::text;
    return true;
}

const std::array table{
    config_key{"server", "listen", "127.0.0.1:8080",
               endpoint_value{at<&config::server, &server_config::listen>},
               "Address and port of the public listener; an IPv6 address stands in brackets."},
    config_key{"server", "max_connections", "4096",
               count_value{at<&config::server, &server_config::max_connections>, 1, 1'000'000},
               "Connections that may be open at once; one more is answered 503 and closed."},
    config_key{"server", "header_timeout", "10s",
               duration_value{at<&config::server, &server_config::header_timeout>, 100ms, 10min},
               "Longest time from the first byte of a request to the end of its header."},
    config_key{"server", "keepalive_timeout", "75s",
               duration_value{at<&config::server, &server_config::keepalive_timeout>, 100ms, 24h},
               "Longest time that a connection may stay open without a request."},
    config_key{"server", "max_header_bytes", "16KiB",
               size_value{at<&config::server, &server_config::max_header_bytes>, KiB, MiB},
               "Largest request header; a larger one is answered 431."},
    config_key{"server", "chunk_bytes", "64KiB",
               size_value{at<&config::server, &server_config::chunk_bytes>, 4 * KiB, MiB},
               "Bytes of CSV that are encoded before they are written."},
    config_key{"server", "send_buffer", "256KiB",
               size_value{at<&config::server, &server_config::send_buffer>, 4 * KiB, 64 * MiB},
               "Bytes that the kernel may hold for each connection on their way to the client."},
    config_key{
        "server", "shutdown_delay", "0s",
        duration_value{at<&config::server, &server_config::shutdown_delay>, 0ms, 10min},
        "Time after SIGTERM in which the listener stays open while /readyz already says no."},
    config_key{"server", "drain_timeout", "30s",
               duration_value{at<&config::server, &server_config::drain_timeout>, 0ms, 24h},
               "Time that running exports then have to finish before they are cut."},

    config_key{"ops", "listen", "127.0.0.1:9090",
               endpoint_value{at<&config::ops, &ops_config::listen>},
               "Address and port of the listener for probes and metrics."},
    config_key{
        "ops", "stall_limit", "1m",
        duration_value{at<&config::ops, &ops_config::stall_limit>, 1s, 1h},
        "Longest time that the loop may stand still before /healthz on this listener fails."},

    config_key{"database", "url", "postgresql:///",
               text_value{at<&config::database, &database_config::url>},
               "Where PostgreSQL is, as a libpq connection URL; a secret.", true},
    config_key{"database", "pool_size", "16",
               count_value{at<&config::database, &database_config::pool_size>, 1, 1'000},
               "Connections to PostgreSQL, and so the number of exports that run at once."},
    config_key{"database", "pool_wait", "2s",
               duration_value{at<&config::database, &database_config::pool_wait>, 0ms, 10min},
               "Longest wait for a free connection before an export is answered 503."},
    config_key{
        "database", "connect_timeout", "5s",
        duration_value{at<&config::database, &database_config::connect_timeout>, 100ms, 10min},
        "Longest time to connect to one address of PostgreSQL; a name may take six times that."},
    config_key{
        "database", "progress_timeout", "60s",
        duration_value{at<&config::database, &database_config::progress_timeout>, 100ms, 24h},
        "Longest silence of PostgreSQL in the middle of an export."},

    config_key{"limits", "exports_per_client", "8",
               count_value{at<&config::limits, &limits_config::exports_per_client>, 1, 1'000'000},
               "Exports that one client may run at once; one more is answered 429."},
    config_key{"limits", "max_exports", "64",
               count_value{at<&config::limits, &limits_config::max_exports>, 1, 1'000'000},
               "Exports of all clients that may run or wait at once; one more is answered 503."},
    config_key{"limits", "stream_row_limit", "500000",
               count_value{at<&config::limits, &limits_config::stream_row_limit>, 0, unbounded},
               "Most rows of one streamed export; more are answered 422, and 0 is no limit."},
    config_key{"limits", "stall_timeout", "60s",
               duration_value{at<&config::limits, &limits_config::stall_timeout>, 100ms, 24h},
               "Longest time that a client may take no bytes of its export."},
    config_key{"limits", "export_deadline", "1h",
               duration_value{at<&config::limits, &limits_config::export_deadline>, 1s, 168h},
               "Longest time that one whole export may take."},
    config_key{"limits", "first_row_timeout", "30s",
               duration_value{at<&config::limits, &limits_config::first_row_timeout>, 100ms, 24h},
               "Longest wait for the first rows of a query before it is answered 504."},
    config_key{"limits", "count_timeout", "500ms",
               duration_value{at<&config::limits, &limits_config::count_timeout>, 1ms, 10min},
               "Longest time to count the rows of a query ahead that is not expected to pass "
               "stream_row_limit."},
    config_key{"limits", "receipts", "10000",
               count_value{at<&config::limits, &limits_config::receipts>, 1, 10'000'000},
               "Receipts of ended exports that are kept."},
    config_key{"limits", "receipt_ttl", "1h",
               duration_value{at<&config::limits, &limits_config::receipt_ttl>, 1s, 720h},
               "Time that the receipt of an ended export is kept."},

    config_key{"loop", "turn_budget", "1ms",
               short_duration_value{at<&config::loop, &loop_config::turn_budget>, 50us, 100ms},
               "Longest time that one export may encode before others have their turn."},

    config_key{"exports", "directory", "exports",
               path_value{at<&config::exports, &exports_config::directory>},
               "Directory with one file per export, relative to the directory of this file."},
    config_key{"exports", "sql_directory", "../sql/exports",
               path_value{at<&config::exports, &exports_config::sql_directory>},
               "Directory with the SQL of the exports, relative to the directory of this file."},

    config_key{"auth", "mode", "none",
               choice_value{set_auth_mode, "\"none\" (no other mode exists yet)"},
               "How callers are told apart; none serves anybody, and on loopback only."},

    config_key{"log", "level", "info",
               choice_value{set_log_level, "\"debug\", \"info\", \"warning\" or \"error\""},
               "Least severe events that are logged."},
    config_key{"log", "format", "json", choice_value{set_log_format, "\"json\" or \"text\""},
               "One JSON object a line, or text for people."},
    config_key{
        "log", "queue", "8192", count_value{at<&config::log, &log_config::queue>, 16, 1'000'000},
        "Events that wait for a slow log; when it is full the oldest are dropped and counted."},
};

std::string upper(std::string_view text) {
    std::string out{text};
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return out;
}

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
    bool operator()(const text_value& kind) const {
        if (text.empty()) return false;
        kind.at(c) = text;
        return true;
    }
    bool operator()(const path_value& kind) const {
        if (text.empty()) return false;
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
    std::string operator()(const text_value&) const { return "a text that is not empty"; }
    std::string operator()(const path_value&) const { return "a path that is not empty"; }
    std::string operator()(const endpoint_value&) const {
        return "an IP address and a port, such as \"127.0.0.1:8080\" or \"[::1]:8080\"";
    }
    std::string operator()(const choice_value& kind) const { return std::string{kind.words}; }
};

}  // namespace

std::string config_key::path() const {
    return std::string{section}.append(".").append(name);
}

std::string config_key::variable() const {
    return "EXPORTD_" + upper(section) + "_" + upper(name);
}

std::span<const config_key> config_keys() {
    return table;
}

bool is_count(const config_key& key) {
    return std::holds_alternative<count_value>(key.value);
}

std::string expectation(const config_key& key) {
    return std::visit(expecter{}, key.value);
}

bool assign(config& c, const config_key& key, std::string_view text) {
    return std::visit(assigner{c, text}, key.value);
}

}  // namespace exportd::app
