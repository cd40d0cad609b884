#pragma once

#include <exportd/app/command_line.hpp>
#include <exportd/app/config.hpp>

namespace exportd::app {

// Exit statuses of the program.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed =
    1;  // the configuration or an export is wrong, or the port is taken
inline constexpr int exit_usage = 2;

// Serves until SIGTERM or SIGINT and then drains; a second signal cuts what still runs. Returns
// an exit status. Everything the service consists of is made here, top to bottom.
int serve(const config& c);

// Checks everything that serve() relies on, the database included, and tells what is wrong on
// stderr, a line each. Returns an exit status.
int check(const config& c);

// Brings the tables that the service keeps in PostgreSQL to this program's version and tells what
// it did. Returns an exit status.
int migrate(const config& c);

// What this program is built of and runs with.
version_list versions();

}  // namespace exportd::app
