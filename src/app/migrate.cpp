#include <exportd/app/application.hpp>
#include <exportd/jobs/migrations.hpp>
#include <exportd/sql/session.hpp>

#include <fmt/format.h>

#include "job_session.hpp"
#include <cstdio>

namespace exportd::app {

int migrate(const config& c) {
    try {
        sql::session session{job_session_options(c, "exportd migrate")};
        const auto applied = jobs::migrate(session);
        for (const auto& step : applied)
            fmt::print("applied {}\n", step);
        if (applied.empty()) fmt::print("nothing to do\n");
        return exit_ok;
    } catch (const sql::error& e) {
        fmt::print(stderr, "exportd: migrate: {}\n", e.what());
        return exit_failed;
    }
}

}  // namespace exportd::app
