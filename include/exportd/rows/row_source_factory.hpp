#pragma once

#include <exportd/rows/row_source.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace exportd::rows {

// A query and what it may cost. Plain values, so that it can cross threads.
struct query {
    std::string sql;  // with $1, $2, ...; one statement, no semicolon
    std::vector<std::optional<std::string>> parameters;  // in text form; nullopt is NULL
    value_kind parameter_kind =
        value_kind::unsupported;  // of all; unsupported: the server infers them
    std::string tag;              // shows in pg_stat_activity as application_name
    std::chrono::milliseconds first_row_timeout{0};  // from open() to the first batch; 0: none
    std::chrono::milliseconds total_timeout{0};      // the server's statement_timeout; 0: none
    // More rows than this are refused; 0: no limit. They are counted ahead, and too_many_rows is
    // thrown before a row is sent. A query that takes longer than count_timeout to count, and of
    // which the planner does not expect so many rows, is streamed uncounted: then next() throws
    // errc::too_many_rows once the limit is passed.
    std::uint64_t row_limit = 0;
    std::chrono::milliseconds count_timeout{0};  // 0: count however long it takes
};

// What a bounded count found.
struct row_count {
    std::uint64_t rows = 0;
    bool exact = true;  // false: there are at least `rows`
};

struct opened_rows {
    std::unique_ptr<row_source> source;
    // Rows the same snapshot holds, if they were counted.
    std::optional<std::uint64_t> expected_rows;
};

// Thrown (as itself) by open() when query::row_limit is passed.
struct too_many_rows {
    row_count count;
    std::uint64_t limit = 0;
};

// Opens queries. What `http` and `jobs` know of the database.
class row_source_factory {
public:
    virtual ~row_source_factory() = default;

    // Starts the query and waits for its first batch, so that whatever is wrong with it shows
    // here and not in the middle of a file. Throws boost::system::system_error with an errc:
    // query_failed, database_unavailable, pool_exhausted, first_row_timeout, unsupported_type.
    virtual boost::asio::awaitable<opened_rows> open(query q) = 0;

    // Counts the rows of a query up to `at_most`. Same errors as open().
    virtual boost::asio::awaitable<row_count> count(query q, std::uint64_t at_most) = 0;

    // The columns of a query that is not run, with type names. Same errors as open(), but an
    // unsupported type is a column of that kind.
    virtual boost::asio::awaitable<std::vector<column>> describe(query q) = 0;
};

}  // namespace exportd::rows
