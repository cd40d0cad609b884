#include "../../../src/http/transfer_watch.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "catch.hpp"

using namespace exportd;
using namespace exportd::http;
using namespace std::chrono_literals;
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

const transfer_watch::clock::time_point start{1000s};
const transfer_limits limits{10s, 60s};

}  // namespace

TEST_CASE("a client that takes bytes is not stalled, however slowly", "[http]") {
    transfer_watch watch{limits, start, {false, 0}};
    for (int s = 1; s < 60; ++s) {
        CHECK(watch.look(start + std::chrono::seconds{s},
                         {false, static_cast<std::uint64_t>(s / 9)}, true, false) == std::nullopt);
    }
}

TEST_CASE("a client that takes nothing is stalled after the limit", "[http]") {
    transfer_watch watch{limits, start, {false, 7}};
    CHECK(watch.look(start + 9s, {false, 7}, true, false) == std::nullopt);
    CHECK(watch.look(start + 10s, {false, 7}, true, false) == errc::stalled);
}

TEST_CASE("waiting for the database is no stall of the client", "[http]") {
    transfer_watch watch{limits, start, {false, 7}};
    CHECK(watch.look(start + 50s, {false, 7}, false, false) == std::nullopt);
    CHECK(watch.look(start + 59s, {false, 7}, true, false) == std::nullopt);
}

TEST_CASE("the deadline, the client and the service end a transfer", "[http]") {
    transfer_watch watch{limits, start, {false, 0}};
    CHECK(watch.look(start + 60s, {false, 1}, true, false) == errc::export_deadline);
    CHECK(watch.look(start + 1s, {true, 1}, true, false) == errc::client_gone);
    CHECK(watch.look(start + 1s, {false, 1}, true, true) == errc::shutting_down);
}

TEST_CASE("limits of zero do not end anything", "[http]") {
    transfer_watch watch{{0s, 0s}, start, {false, 0}};
    CHECK(watch.look(start + 24h, {false, 0}, true, false) == std::nullopt);
}

namespace {

struct connected_pair {
    asio::io_context loop;
    tcp::socket client{loop};
    tcp::socket server{loop};
    lifecycle life;
    bool writing = false;

    connected_pair() {
        tcp::acceptor acceptor{loop, {asio::ip::address_v4::loopback(), 0}};
        client.connect(acceptor.local_endpoint());
        acceptor.accept(server);
    }

    // How a watched wait of an hour ends.
    boost::system::error_code run(transfer_limits with) {
        boost::system::error_code ended;
        asio::co_spawn(loop, run_watched(wait_long(), with, server, life, writing),
                       [&](std::exception_ptr e) {
                           try {
                               if (e) std::rethrow_exception(e);
                           } catch (const boost::system::system_error& error) {
                               ended = error.code();
                           }
                       });
        loop.run();
        return ended;
    }

    asio::awaitable<void> wait_long() {
        asio::steady_timer timer{loop, 1h};
        co_await timer.async_wait(asio::use_awaitable);
    }
};

}  // namespace

TEST_CASE("the work is cancelled when the client closes", "[http]") {
    connected_pair pair;
    pair.client.close();
    CHECK(pair.run({}) == errc::client_gone);
}

TEST_CASE("the work is cancelled when the client resets", "[http]") {
    connected_pair pair;
    pair.client.set_option(asio::socket_base::linger{true, 0});
    pair.client.close();
    CHECK(pair.run({}) == errc::client_gone);
}

TEST_CASE("the work is cancelled at its deadline", "[http]") {
    connected_pair pair;
    CHECK(pair.run({0ms, 20ms}) == errc::export_deadline);
}

TEST_CASE("the work is cancelled when the service is cut", "[http]") {
    connected_pair pair;
    pair.life.cut();
    CHECK(pair.run({}) == errc::shutting_down);
}
