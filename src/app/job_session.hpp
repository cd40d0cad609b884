#pragma once

#include <exportd/app/config.hpp>
#include <exportd/sql/session.hpp>

#include <string>

namespace exportd::app {

// How the job table is reached. `application_name` shows in pg_stat_activity.
inline sql::session_options job_session_options(const config& c, std::string application_name) {
    sql::session_options o;
    o.url = c.jobs.url.empty() ? c.database.url : c.jobs.url;
    o.application_name = std::move(application_name);
    o.connect_timeout = c.database.connect_timeout;
    // Statements about single rows; without an answer for so long something is wrong.
    o.statement_timeout = std::chrono::seconds{10};
    return o;
}

}  // namespace exportd::app
