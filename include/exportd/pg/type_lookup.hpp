#pragma once

#include <exportd/pg/connection.hpp>
#include <exportd/pg/type_map.hpp>

#include <boost/asio/awaitable.hpp>

#include <vector>

namespace exportd::pg {

// Asks the server for the names and kinds of `numbers` and teaches them to `types`. The
// connection must have no other results to come. The references must outlive the coroutine.
boost::asio::awaitable<void> look_up(connection& on, std::vector<type_map::oid> numbers,
                                     type_map& types, patience p);

}  // namespace exportd::pg
