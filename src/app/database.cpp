#include "database.hpp"

#include <exportd/pg/server_error.hpp>

#include <stdexcept>
#include <string_view>

namespace exportd::app {
namespace {

using observe::event;
using observe::level;

pg::settings settings_of(const database_config& c) {
    pg::settings s;
    s.url = c.url;
    s.size = c.pool_size;
    s.pool_wait = c.pool_wait;
    s.connect_timeout = c.connect_timeout;
    s.progress_timeout = c.progress_timeout;
    return s;
}

// libpq's own words may quote the URL, and with it the password; those about an option's name
// do not.
std::string url_fault(const pg::server_error& e) {
    const std::string_view message = e.message();
    const bool about_a_name = message.starts_with("invalid URI query parameter") ||
                              message.starts_with("invalid connection option") ||
                              message.starts_with("a port is not");
    const auto line = message.substr(0, message.find('\n'));
    return "database.url: " + std::string{about_a_name ? line : "it is no connection URL of libpq"};
}

std::shared_ptr<pg::pool> make_pool(boost::asio::io_context& loop, const database_config& c,
                                    pg::resolver& names, pg::canceller& cancels,
                                    pg::observer& events) {
    try {
        return std::make_shared<pg::pool>(loop.get_executor(), settings_of(c), names, cancels,
                                          events);
    } catch (const pg::server_error& e) {
        throw std::runtime_error{url_fault(e)};
    }
}

}  // namespace

void connection_events::connection_opened(int backend_pid,
                                          std::chrono::milliseconds took) noexcept {
    ready_.set_database_lost(false);
    told_.observe(event{level::debug, "database_connected"}
                      .with("backend", backend_pid)
                      .with("took_ms", took.count()));
}

void connection_events::pool_changed(const pg::pool_counts& now) noexcept {
    const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    state_.pool_size.set(count(now.size));
    state_.pool_idle.set(count(now.idle));
    state_.pool_in_use.set(count(now.leased));
    state_.pool_connecting.set(count(now.connecting));
    state_.pool_waiting.set(count(now.waiting));
}

void connection_events::connection_lost(int backend_pid, std::string_view reason) noexcept {
    told_.observe(event{level::info, "database_connection_lost"}
                      .with("backend", backend_pid)
                      .with("cause", reason));
}

void connection_events::backing_off(std::chrono::milliseconds pause,
                                    std::string_view reason) noexcept {
    // The pool goes on trying, asked or not, so this is taken back.
    if (open_() == 0) ready_.set_database_lost(true);
    told_.observe(event{level::warning, "database_unavailable"}
                      .with("retry_ms", pause.count())
                      .with("cause", reason));
}

void connection_events::query_cancelled(int backend_pid) noexcept {
    told_.observe(event{level::info, "query_cancelled"}.with("backend", backend_pid));
}

void connection_events::notice(std::string_view severity, std::string_view) noexcept {
    // The text may quote data.
    told_.observe(event{level::debug, "database_notice"}.with("severity", severity));
}

database::database(boost::asio::io_context& loop, const database_config& c, observe::observer& told,
                   observe::gauges& state, observe::readiness& ready)
    : events{told, state, ready,
             [this] {
                 const auto counts = connections->stats();
                 return counts.idle + counts.leased;
             }},
      connections{make_pool(loop, c, names, cancels, events)},
      turns{loop.get_executor()},
      queries{connections, &turns} {
}

}  // namespace exportd::app
