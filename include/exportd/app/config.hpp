#pragma once

#include <exportd/observe/event.hpp>
#include <exportd/observe/log_format.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
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
    std::uint64_t stream_row_limit = 0;  // 0: no limit
    std::chrono::milliseconds stall_timeout{0};
    std::chrono::milliseconds export_deadline{0};
    std::chrono::milliseconds first_row_timeout{0};
    std::chrono::milliseconds count_timeout{0};
    std::uint64_t receipts = 0;
    std::chrono::milliseconds receipt_ttl{0};
};

struct loop_config {
    std::chrono::microseconds turn_budget{0};
};

struct exports_config {
    std::filesystem::path directory;
    std::filesystem::path sql_directory;
};

enum class auth_mode { none };

struct auth_config {
    auth_mode mode = auth_mode::none;
};

struct log_config {
    observe::level level = observe::level::debug;
    observe::log_format format = observe::log_format::json;
    std::uint64_t queue = 0;  // events
};

struct config {
    server_config server;
    ops_config ops;
    database_config database;
    limits_config limits;
    loop_config loop;
    exports_config exports;
    auth_config auth;
    log_config log;
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
