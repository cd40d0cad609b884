#pragma once

#include <exportd/exports/catalog.hpp>
#include <exportd/exports/encoder_factory.hpp>
#include <exportd/exports/schema_store.hpp>
#include <exportd/rows/row_source_factory.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace exportd::app {

// What is wrong with one export.
struct export_fault {
    enum class kind {
        definition,   // only its author can mend it: the service must not run with it
        query,        // the server refuses the query as things stand
        unavailable,  // the database could not be asked
    };
    kind what = kind::definition;
    std::string export_name;
    std::string message;
};

// Has the database describe the query of every export and checks that each can be encoded,
// formatted and raw. Fills `schemas`. Returns what is wrong, in the order of the names; does not
// throw for it. The references outlive the coroutine.
boost::asio::awaitable<std::vector<export_fault>> check_exports(
    const exports::catalog& catalog, const exports::encoder_factory& encoders,
    rows::row_source_factory& database, exports::schema_store& schemas);

}  // namespace exportd::app
