#pragma once

#include <exportd/pg/connection.hpp>
#include <exportd/pg/conninfo.hpp>
#include <exportd/pg/observer.hpp>
#include <exportd/pg/resolver.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>

namespace exportd::pg {

// Connects to the first server of `info` that accepts: every address of every host in turn,
// each with `timeout` for itself; a name may take six times as long to be resolved. The references
// must outlive the coroutine. Throws server_error(database_unavailable) with the reasons of all
// attempts, or boost::system::system_error(operation_aborted) when it is cancelled.
boost::asio::awaitable<std::unique_ptr<connection>> connect(const conninfo& info, resolver& names,
                                                            std::chrono::milliseconds timeout,
                                                            observer& events);

}  // namespace exportd::pg
