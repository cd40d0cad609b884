#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace exportd::http {

// Awaits `operation`, which must not throw, for at most `limit`. nullopt: the time was over and
// the operation has been cancelled and has ended, so that its buffers may go.
template <class T>
boost::asio::awaitable<std::optional<T>> with_deadline(
    boost::asio::awaitable<T> operation, std::chrono::steady_clock::time_point limit) {
    using namespace boost::asio::experimental::awaitable_operators;
    boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, limit};
    auto first = co_await (std::move(operation) ||
                           timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable)));
    if (first.index() == 0) co_return std::get<0>(std::move(first));
    co_return std::nullopt;
}

}  // namespace exportd::http
