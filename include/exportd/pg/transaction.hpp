#pragma once

#include <exportd/pg/connection.hpp>
#include <exportd/rows/row_source_factory.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace exportd::pg {

// How many results begin_transaction() queues.
inline constexpr std::size_t transaction_results = 2;

// Queues the start of a read-only transaction with one snapshot, whose settings end with it
// and override those of the role and the database.
void begin_transaction(connection& on, const rows::query& q);

// The types of the query's parameters, as connection::send() takes them.
connection::parameter_types parameter_types_of(const rows::query& q);

// The statement that declares the cursor `c` for `sql`.
std::string declare_statement(const std::string& sql);

// The statement that counts the rows of `sql`, up to `at_most`.
std::string count_statement(const std::string& sql, std::uint64_t at_most);

// `text` without what is behind its first `bytes` bytes, cut between two UTF-8 characters.
std::string cut_utf8(std::string text, std::size_t bytes);

}  // namespace exportd::pg
