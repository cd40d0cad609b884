#pragma once

#include <exportd/app/config.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/pg/canceller.hpp>
#include <exportd/pg/cursor_factory.hpp>
#include <exportd/pg/observer.hpp>
#include <exportd/pg/pool.hpp>
#include <exportd/pg/resolver.hpp>

#include <boost/asio/io_context.hpp>

#include <memory>

namespace exportd::app {

// Tells the service's observer what happens to database connections.
class connection_events final : public pg::observer {
public:
    explicit connection_events(observe::observer& told) : told_{told} {}

    void connection_opened(int backend_pid, std::chrono::milliseconds took) noexcept override;
    void connection_lost(int backend_pid, std::string_view reason) noexcept override;
    void backing_off(std::chrono::milliseconds pause, std::string_view reason) noexcept override;
    void query_cancelled(int backend_pid) noexcept override;
    void notice(std::string_view severity, std::string_view text) noexcept override;

private:
    observe::observer& told_;
};

// The connections to PostgreSQL and what they need.
struct database {
    database(boost::asio::io_context& loop, const database_config& c, observe::observer& told);

    connection_events events;
    pg::system_resolver names;
    pg::canceller cancels;
    std::shared_ptr<pg::pool> connections;
    pg::cursor_factory queries;
};

}  // namespace exportd::app
