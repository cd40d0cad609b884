#pragma once

#include <exportd/http/exchange.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>

namespace exportd::http {

// Waits, but not past the end of the service's drain. False: the client has left meanwhile.
boost::asio::awaitable<bool> pause(exchange& x, std::chrono::milliseconds time);

}  // namespace exportd::http
