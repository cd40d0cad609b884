#include <exportd/pg/connect.hpp>

#include "server.hpp"

using namespace exportd;
using namespace exportd::pg;
using namespace exportd::pg::test;

namespace {

// Answers after a pause on the loop, as a slow name server does.
class slow_resolver final : public resolver {
public:
    explicit slow_resolver(std::string answer) : answer_(std::move(answer)) {}
    asio::awaitable<std::vector<std::string>> resolve(std::string host) override {
        asked = std::move(host);
        asio::steady_timer pause{co_await asio::this_coro::executor, 100ms};
        co_await pause.async_wait(asio::use_awaitable);
        co_return std::vector<std::string>{"127.0.0.1", answer_};
    }
    std::string asked;

private:
    std::string answer_;
};

std::string at(admin& server, const std::string& host, const std::string& port) {
    return "host=" + host + " port=" + port + " dbname=" + server.database() +
           " user=" + server.user() + " password='" + server.password() + "'";
}

asio::awaitable<void> lease_once(pool* p) {
    const auto held = co_await p->acquire();
    CHECK(held->backend_pid() > 0);
}

asio::awaitable<void> count_ticks(int* ticks) {
    asio::steady_timer tick{co_await asio::this_coro::executor};
    for (; *ticks < 10; ++*ticks) {
        tick.expires_after(5ms);
        co_await tick.async_wait(asio::use_awaitable);
    }
}

}  // namespace

TEST_CASE("the second host of a list is used when the first refuses") {
    admin server;
    settings s;
    s.url = at(server, "127.0.0.1,127.0.0.1", "1," + server.port());
    loop_with_pool on{s};
    on.run(lease_once(on.pool.get()));
    CHECK(on.events.opened == 1);
}

TEST_CASE("the system's resolver finds a name") {
    admin server;
    settings s;
    s.url = at(server, "localhost", server.port());
    loop_with_pool on{s};
    on.run(lease_once(on.pool.get()));
}

TEST_CASE("the loop turns while a name is resolved") {
    admin server;
    asio::io_context loop{1};
    slow_resolver names{"127.0.0.1"};
    observer silent;
    const conninfo info{at(server, "db.invalid", server.port())};
    int ticks = 0;
    int ticks_when_connected = 0;
    asio::co_spawn(loop, count_ticks(&ticks), [](std::exception_ptr) {});
    asio::co_spawn(loop, connect(info, names, 5s, silent),
                   [&](std::exception_ptr e, std::unique_ptr<connection> c) {
                       CHECK_FALSE(e);
                       CHECK(c);
                       ticks_when_connected = ticks;
                   });
    loop.run();
    CHECK(names.asked == "db.invalid");
    CHECK(ticks_when_connected == 10);
}

TEST_CASE("a name that is not resolved in time fails the connect, not later") {
    asio::io_context loop{1};
    slow_resolver names{"127.0.0.1"};
    observer silent;
    const conninfo info{"host=db.invalid"};
    boost::system::error_code error;
    const auto began = clock::now();
    asio::co_spawn(loop, connect(info, names, 10ms, silent),
                   [&](std::exception_ptr e, std::unique_ptr<connection>) {
                       try {
                           std::rethrow_exception(e);
                       } catch (const boost::system::system_error& failed) {
                           error = failed.code();
                       }
                   });
    loop.run();
    CHECK(error == errc::database_unavailable);
    CHECK(clock::now() - began < 90ms);
}

TEST_CASE("an unreachable server is reported at once, also to the next one who asks") {
    settings s;
    s.url = "host=127.0.0.1 port=1";
    s.first_backoff = 5s;
    loop_with_pool on{s};
    const auto began = clock::now();
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        co_await fails_with(errc::database_unavailable, lease_once(l->pool.get()));
        co_await fails_with(errc::database_unavailable, lease_once(l->pool.get()));
    };
    on.run(script(&on));
    CHECK(on.events.backoffs == 1);
    CHECK(clock::now() - began < 1s);
}
