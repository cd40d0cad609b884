#pragma once

#include <exportd/sql/session.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::jobs {

// One step of the schema `exportd`, as it stands in sql/schema.
struct migration {
    int version;
    std::string_view name;
    std::string_view script;
};

// All steps of this program, oldest first.
std::span<const migration> migrations();

// Brings the schema to this program's version: makes it, applies the steps it lacks, each in a
// transaction together with its record, and says which were applied. Two at once wait for each
// other. Throws sql::error, also for a schema that is newer than this program.
std::vector<std::string> migrate(sql::session& session);

}  // namespace exportd::jobs
