#pragma once

#include <exportd/app/config.hpp>
#include <exportd/jobs/export_task.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/gauges.hpp>
#include <exportd/observe/readiness.hpp>

#include "database.hpp"

namespace exportd::app {

// The database as one background export sees it: one connection, on the loop of its worker thread.
// Its pool is not the service's, so it counts in none of the service's gauges.
class task_connection final : public jobs::task_database {
public:
    task_connection(boost::asio::io_context& loop, const database_config& c,
                    observe::observer& told)
        : connections_{loop, c, told, unread_, unasked_} {
        connections_.connections->start();
    }

    rows::row_source_factory& rows() override { return connections_.queries; }
    rows::turns& turns() override { return connections_.turns; }
    boost::asio::awaitable<void> shutdown() override {
        return connections_.connections->shutdown();
    }

private:
    observe::gauges unread_;
    observe::readiness unasked_;
    database connections_;
};

}  // namespace exportd::app
