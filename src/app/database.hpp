#pragma once

#include <exportd/app/config.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/gauges.hpp>
#include <exportd/observe/readiness.hpp>
#include <exportd/pg/canceller.hpp>
#include <exportd/pg/cursor_factory.hpp>
#include <exportd/pg/observer.hpp>
#include <exportd/pg/pool.hpp>
#include <exportd/pg/resolver.hpp>
#include <exportd/work/turnstile.hpp>

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>

namespace exportd::app {

// Tells the service's observer what happens to database connections, publishes how many there
// are, and tells the readiness whether there are any.
class connection_events final : public pg::observer {
public:
    // `open`: how many connections there are. The references outlive it.
    connection_events(observe::observer& told, observe::gauges& state, observe::readiness& ready,
                      std::function<std::size_t()> open)
        : told_{told}, state_{state}, ready_{ready}, open_{std::move(open)} {}

    void connection_opened(int backend_pid, std::chrono::milliseconds took) noexcept override;
    void pool_changed(const pg::pool_counts& now) noexcept override;
    void connection_lost(int backend_pid, std::string_view reason) noexcept override;
    void backing_off(std::chrono::milliseconds pause, std::string_view reason) noexcept override;
    void query_cancelled(int backend_pid) noexcept override;
    void notice(std::string_view severity, std::string_view text) noexcept override;

private:
    observe::observer& told_;
    observe::gauges& state_;
    observe::readiness& ready_;
    std::function<std::size_t()> open_;
};

// The connections to PostgreSQL and what they need.
struct database {
    database(boost::asio::io_context& loop, const database_config& c, observe::observer& told,
             observe::gauges& state, observe::readiness& ready);

    connection_events events;
    pg::system_resolver names;
    pg::canceller cancels;
    std::shared_ptr<pg::pool> connections;
    work::turnstile turns;
    pg::cursor_factory queries;
};

}  // namespace exportd::app
