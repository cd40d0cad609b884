#pragma once

#include <exportd/observe/event.hpp>
#include <exportd/observe/log_format.hpp>
#include <exportd/observe/readiness.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::app {

// The settings of the service. Meaning, default and bounds of every member stand in the table of
// config_key.cpp and in config/exportd.toml; a default-constructed config holds zeros, not the
// defaults: use load_config().

struct server_config {
    boost::asio::ip::tcp::endpoint listen;
    std::uint64_t max_connections = 0;
    std::chrono::milliseconds header_timeout{0};
    std::chrono::milliseconds keepalive_timeout{0};
    std::uint64_t max_header_bytes = 0;
    std::uint64_t chunk_bytes = 0;
    std::uint64_t send_buffer = 0;  // bytes
    std::string public_url;         // empty: not known, and letters have no link
    std::string trusted_proxies;    // networks
    std::chrono::milliseconds shutdown_delay{0};
    std::chrono::milliseconds drain_timeout{0};
};

struct ops_config {
    boost::asio::ip::tcp::endpoint listen;
    std::chrono::milliseconds stall_limit{0};
};

struct database_config {
    std::string url;  // may hold a password: goes into no log and no message
    std::uint64_t pool_size = 0;
    std::chrono::milliseconds pool_wait{0};
    std::chrono::milliseconds connect_timeout{0};
    std::chrono::milliseconds progress_timeout{0};
};

struct limits_config {
    std::uint64_t exports_per_client = 0;
    std::uint64_t max_exports = 0;
    std::uint64_t max_queued = 0;
    std::chrono::milliseconds queue_timeout{0};
    std::uint64_t stream_row_limit = 0;  // 0: no limit
    std::chrono::milliseconds stall_timeout{0};
    std::chrono::milliseconds export_deadline{0};
    std::chrono::milliseconds first_row_timeout{0};
    std::chrono::milliseconds count_timeout{0};
    std::chrono::milliseconds report_timeout{0};
    std::uint64_t requests_per_minute = 0;  // of one caller; 0: no limit
    std::uint64_t rows_per_day = 0;         // as well
    std::uint64_t receipts = 0;
    std::chrono::milliseconds receipt_ttl{0};
};

struct loop_config {
    std::chrono::microseconds turn_budget{0};
    std::chrono::milliseconds max_delay{0};
    double max_utilisation = 1;  // 1: does not count
    std::chrono::milliseconds slow_turn{0};
    std::chrono::milliseconds stall{0};
    std::chrono::milliseconds log_every{0};  // 0: never
};

struct readiness_config {
    std::chrono::milliseconds enter_delay{0};
    std::chrono::milliseconds leave_delay{0};
    std::chrono::milliseconds sustain{0};
    observe::outage_choice on_database_outage = observe::outage_choice::stay;
};

struct workers_config {
    std::uint64_t threads = 0;  // 0: one for each core that the process may use
    std::uint64_t queue = 0;    // tasks
};

enum class store_kind { directory, s3 };

struct jobs_config {
    store_kind store = store_kind::directory;
    std::filesystem::path directory;
    std::uint64_t keep_free = 0;  // bytes
    std::string url;              // like database_config::url; empty: that one
    std::uint64_t per_caller = 0;
    std::uint64_t max_queued = 0;
    std::chrono::milliseconds expiry{0};
    std::chrono::milliseconds retention{0};
    std::chrono::milliseconds deadline{0};
    std::uint64_t attempts = 0;
    std::chrono::milliseconds lease{0};
    std::chrono::milliseconds poll{0};
};

struct s3_config {
    std::string endpoint;
    std::string region;
    std::string bucket;
    std::string prefix;
    std::string access_key;
    std::string secret_key;       // goes into no log and no message
    std::uint64_t part_size = 0;  // bytes
    bool allow_http = false;
    std::filesystem::path ca_file;  // empty: the system's
};

struct mail_config {
    std::string url;  // empty: no mail
    std::string from;
    std::string username;  // empty: no authentication
    std::string password;  // goes into no log and no message
    std::string domains;   // empty: no mail
    std::chrono::milliseconds timeout{0};
    bool allow_plain = false;
    std::filesystem::path ca_file;  // empty: the system's
};

struct exports_config {
    std::filesystem::path directory;
    std::filesystem::path sql_directory;
};

enum class auth_mode { none, tokens, proxy, jwt };

// "none", "tokens", ...: as it stands in the configuration.
std::string_view name_of(auth_mode m) noexcept;

struct auth_config {
    auth_mode mode = auth_mode::none;
    std::filesystem::path file;  // who may do what; empty with mode none
    std::string session_key;     // goes into no log and no message; empty: one of the process
    std::chrono::milliseconds session_idle{0};
    std::chrono::milliseconds session_lifetime{0};
    std::string user_header;
    std::string groups_header;
    std::string mail_header;
    std::string sign_out_url;  // empty: the page offers none
};

struct jwt_config {
    std::string issuer;
    std::string audience;
    std::string algorithms;  // separated by commas
    std::filesystem::path jwks_file;
    std::string jwks_url;
    std::chrono::milliseconds jwks_refresh{0};
    std::filesystem::path ca_file;  // empty: the system's
    std::string user_claim;
    std::string groups_claim;
    std::string mail_claim;
    std::chrono::milliseconds clock_skew{0};
};

struct audit_config {
    std::string sinks;      // log, table, or both, separated by commas
    bool required = false;  // no record, no export
    std::string url;        // like database_config::url; empty: that of the job table
};

struct log_config {
    observe::level level = observe::level::debug;
    observe::log_format format = observe::log_format::json;
    std::uint64_t queue = 0;  // events
};

struct debug_config {
    bool routes = false;
};

struct config {
    server_config server;
    ops_config ops;
    database_config database;
    limits_config limits;
    loop_config loop;
    readiness_config readiness;
    workers_config workers;
    jobs_config jobs;
    s3_config s3;
    mail_config mail;
    exports_config exports;
    auth_config auth;
    jwt_config jwt;
    audit_config audit;
    log_config log;
    debug_config debug;
};

// Names and values of the process's environment.
using environment = std::map<std::string, std::string>;

// Copies a null-terminated list of NAME=value, such as ::environ.
environment read_environment(const char* const* list);

// Everything that is wrong with a configuration: one line each, with the file and line or the
// variable, the key and what was expected. what() is all of them, joined by line feeds. No
// message holds the value of a secret.
class config_error : public std::runtime_error {
public:
    explicit config_error(std::vector<std::string> lines);
    const std::vector<std::string>& lines() const noexcept { return lines_; }

private:
    std::vector<std::string> lines_;
};

// The defaults, then the file (if any), then EXPORTD_<SECTION>_<KEY> and, for secrets,
// EXPORTD_<SECTION>_<KEY>_FILE, each overriding what came before. Reads files, so not on the
// loop. Relative paths, wherever they are set, are relative to the directory of `file`; without
// a file to "config" in the working directory. Throws config_error with every fault found.
config load_config(const std::optional<std::filesystem::path>& file, const environment& env);

// What forbids serving with settings that are each right on their own, one sentence each; empty
// when nothing does.
std::vector<std::string> validate(const config& c);

}  // namespace exportd::app
