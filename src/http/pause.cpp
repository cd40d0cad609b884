#include "pause.hpp"

#include <exportd/rows/errc.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace exportd::http {
namespace asio = boost::asio;

namespace {

asio::awaitable<void> wait_for(std::chrono::milliseconds time) {
    asio::steady_timer timer{co_await asio::this_coro::executor, time};
    co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace

asio::awaitable<bool> pause(exchange& x, std::chrono::milliseconds time) {
    bool there = true;
    if (time.count() == 0) co_return there;
    try {
        auto waiting = wait_for(time);
        co_await x.guard(std::move(waiting), {});
    } catch (const boost::system::system_error& e) {
        there = e.code() != errc::client_gone;
    }
    co_return there;
}

}  // namespace exportd::http
