#include <exportd/app/config_key.hpp>

#include "config_rows.hpp"
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace exportd::app {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t MiB = 1024 * KiB;
constexpr std::uint64_t unbounded =
    std::numeric_limits<std::int64_t>::max();  // TOML's largest integer

bool set_outage_choice(config& c, std::string_view word) {
    if (word != "stay" && word != "fail") return false;
    c.readiness.on_database_outage =
        word == "stay" ? observe::outage_choice::stay : observe::outage_choice::fail;
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
    config_key{"server", "public_url", "",
               text_value{at<&config::server, &server_config::public_url>, true},
               "What people reach the service under, https://host[:port]; with https cookies and "
               "browsers are bound to TLS; empty: letters have no link."},
    config_key{"server", "trusted_proxies", "",
               text_value{at<&config::server, &server_config::trusted_proxies>, true},
               "Networks of proxies whose X-Forwarded-For and identity fields are believed, such "
               "as 10.0.0.0/8, separated by commas."},
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
               "Exports of one client that may run or wait at once; one more is answered 429."},
    config_key{"limits", "max_exports", "64",
               count_value{at<&config::limits, &limits_config::max_exports>, 1, 1'000},
               "Exports of all clients that may run at once, never more than database.pool_size."},
    config_key{"limits", "max_queued", "64",
               count_value{at<&config::limits, &limits_config::max_queued>, 0, 1'000'000},
               "Exports that may wait for one of these to end; one more is answered 503."},
    config_key{"limits", "queue_timeout", "5s",
               duration_value{at<&config::limits, &limits_config::queue_timeout>, 0ms, 10min},
               "Longest time that an export waits so before it is answered 503."},
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
    config_key{"limits", "report_timeout", "60s",
               duration_value{at<&config::limits, &limits_config::report_timeout>, 100ms, 1h},
               "Longest time that a report may take before it is answered 504."},
    config_key{"limits", "requests_per_minute", "600",
               count_value{at<&config::limits, &limits_config::requests_per_minute>, 0, 1'000'000},
               "Requests of one caller who is told apart, in a minute; one more is answered 429, "
               "and 0 is no limit."},
    config_key{"limits", "rows_per_day", "0",
               count_value{at<&config::limits, &limits_config::rows_per_day>, 0, unbounded},
               "Rows after which one caller begins no further export that day (UTC); counted by "
               "each process, and 0 is no limit."},
    config_key{"limits", "receipts", "10000",
               count_value{at<&config::limits, &limits_config::receipts>, 1, 10'000'000},
               "Receipts of ended exports that are kept."},
    config_key{"limits", "receipt_ttl", "1h",
               duration_value{at<&config::limits, &limits_config::receipt_ttl>, 1s, 720h},
               "Time that the receipt of an ended export is kept."},

    config_key{"loop", "turn_budget", "1ms",
               short_duration_value{at<&config::loop, &loop_config::turn_budget>, 50us, 100ms},
               "Longest time that one export may encode before others have their turn."},
    config_key{"loop", "max_delay", "200ms",
               duration_value{at<&config::loop, &loop_config::max_delay>, 1ms, 1min},
               "The loop's delay (p99 of 10 s) over which new exports are answered 503."},
    config_key{"loop", "max_utilisation", "1.0",
               ratio_value{at<&config::loop, &loop_config::max_utilisation>, 0.01, 1},
               "The loop's utilisation over which new exports are answered 503; 1.0 is no limit."},
    config_key{"loop", "slow_turn", "50ms",
               duration_value{at<&config::loop, &loop_config::slow_turn>, 1ms, 1min},
               "Turns of the loop that take so long are logged and counted, with their route."},
    config_key{"loop", "stall", "1s",
               duration_value{at<&config::loop, &loop_config::stall>, 100ms, 10min},
               "Time without a turn after which the stack of the loop's thread is logged."},
    config_key{"loop", "log_every", "10s",
               duration_value{at<&config::loop, &loop_config::log_every>, 0ms, 1h},
               "Time between two lines about the loop in the log; 0s is none."},

    config_key{"readiness", "enter_delay", "500ms",
               duration_value{at<&config::readiness, &readiness_config::enter_delay>, 1ms, 1min},
               "The loop's delay (p99 of 10 s) over which /readyz says no once it lasts."},
    config_key{"readiness", "leave_delay", "250ms",
               duration_value{at<&config::readiness, &readiness_config::leave_delay>, 1ms, 1min},
               "The delay under which /readyz says yes again once it lasts; at most enter_delay."},
    config_key{"readiness", "sustain", "5s",
               duration_value{at<&config::readiness, &readiness_config::sustain>, 0ms, 10min},
               "How long the delay stays beyond its limit before /readyz changes."},
    config_key{"readiness", "on_database_outage", "stay",
               choice_value{set_outage_choice, "\"stay\" or \"fail\""},
               "Whether /readyz keeps saying yes while PostgreSQL can't be reached, or says no."},

    config_key{"workers", "threads", "0",
               count_value{at<&config::workers, &workers_config::threads>, 0, 256},
               "Threads for reports and background exports, neither of which gets the last one; 0 "
               "is one for each core that the process may use, and two at least."},
    config_key{
        "workers", "queue", "64",
        count_value{at<&config::workers, &workers_config::queue>, 1, 100'000},
        "Tasks of each of these kinds that may wait for a thread; one more is answered 503."},

    config_key{"exports", "directory", "exports",
               path_value{at<&config::exports, &exports_config::directory>},
               "Directory with one file per export, relative to the directory of this file."},
    config_key{"exports", "sql_directory", "../sql/exports",
               path_value{at<&config::exports, &exports_config::sql_directory>},
               "Directory with the SQL of the exports, relative to the directory of this file."},

    config_key{"log", "level", "info",
               choice_value{set_log_level, "\"debug\", \"info\", \"warning\" or \"error\""},
               "Least severe events that are logged."},
    config_key{"log", "format", "json", choice_value{set_log_format, "\"json\" or \"text\""},
               "One JSON object a line, or text for people."},
    config_key{
        "log",
        "queue", "8192", count_value{at<&config::log, &log_config::queue>, 16, 1'000'000},
        "Events that wait for a slow log; when it is full the oldest are dropped and counted."},

    config_key{"debug", "routes", "false", flag_value{at<&config::debug, &debug_config::routes>},
               "Whether GET /debug/... exists, which can block the service; on loopback only."},
};

std::string upper(std::string_view text) {
    std::string out{text};
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return out;
}

}  // namespace

std::string config_key::path() const {
    return std::string{section}.append(".").append(name);
}

std::string config_key::variable() const {
    return "EXPORTD_" + upper(section) + "_" + upper(name);
}

std::span<const config_key> config_keys() {
    static const std::vector<config_key> all = [] {
        std::vector<config_key> keys{table.begin(), table.end()};
        for (const auto more : {delivery_rows(), access_rows()})
            keys.insert(keys.end(), more.begin(), more.end());
        return keys;
    }();
    return all;
}

}  // namespace exportd::app
