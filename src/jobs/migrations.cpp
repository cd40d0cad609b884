#include <exportd/jobs/migrations.hpp>

#include <algorithm>
#include <string>

namespace exportd::jobs {

namespace {

// Any number that nobody else locks.
constexpr std::string_view lock = "SELECT pg_advisory_xact_lock(7246193850)";

constexpr std::string_view record = R"(
CREATE SCHEMA IF NOT EXISTS exportd;
CREATE TABLE IF NOT EXISTS exportd.migrations (
    version int PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
))";

}  // namespace

std::vector<std::string> migrate(sql::session& session) {
    std::vector<std::string> applied;
    session.transaction([&] {
        session.exec(lock);
        session.exec_script("SET LOCAL client_min_messages = warning");
        session.exec_script(record);
        const auto got =
            session.exec("SELECT coalesce(max(version), 0) AS version FROM exportd.migrations");
        const int there = std::stoi(*got.at(0, "version"));
        const int newest = migrations().back().version;
        if (there > newest) {
            throw sql::error{"the schema is of version " + std::to_string(there) +
                                 ", this program knows only " + std::to_string(newest),
                             {}};
        }
        for (const auto& step : migrations()) {
            if (step.version <= there) continue;
            session.exec_script(step.script);
            session.exec("INSERT INTO exportd.migrations (version, name) VALUES ($1::int, $2)",
                         {std::to_string(step.version), std::string{step.name}});
            applied.emplace_back(step.name);
        }
    });
    return applied;
}

}  // namespace exportd::jobs
