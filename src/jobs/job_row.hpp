#pragma once

#include <exportd/jobs/job.hpp>
#include <exportd/sql/session.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace exportd::jobs {

// The columns of exportd.jobs that job_from() reads, for SELECT and RETURNING.
std::string_view job_columns() noexcept;

// One row of a result that has them.
job job_from(const sql::result& got, std::size_t row);

// A number that the database wrote.
std::int64_t number_from(const sql::text& value);

}  // namespace exportd::jobs
