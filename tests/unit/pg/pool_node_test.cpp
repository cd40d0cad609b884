#include <exportd/pg/pool_node.hpp>

#include "catch.hpp"

using exportd::pg::pool_node;
using namespace std::chrono_literals;
using answer = pool_node::answer;
using place = pool_node::place;

namespace {

const pool_node::time_point start{};

pool_node pool_of(std::size_t size) {
    return pool_node{{size, 100ms, 1000ms}};
}

}  // namespace

TEST_CASE("a connection is opened for whoever waits, and kept") {
    auto node = pool_of(2);
    const auto first = node.acquire(start);
    CHECK(first.what == answer::wait);
    CHECK(node.start_connects(start) == 1);
    CHECK(node.start_connects(start) == 0);

    const auto placed = node.connected();
    CHECK(placed.where == place::waiter);
    CHECK(placed.id == first.id);
    CHECK(node.leased() == 1);

    CHECK(node.returned().where == place::idle);
    CHECK(node.acquire(start).what == answer::lease_idle);
    CHECK(node.start_connects(start) == 0);
}

TEST_CASE("no more connections than the size, and waiters are served in order") {
    auto node = pool_of(2);
    pool_node::waiter ids[4];
    for (auto& id : ids)
        id = node.acquire(start).id;
    CHECK(node.start_connects(start) == 2);
    CHECK(node.connected().id == ids[0]);
    CHECK(node.connected().id == ids[1]);
    node.forget(ids[2]);
    CHECK(node.returned().id == ids[3]);
    CHECK(node.returned().where == place::idle);
}

TEST_CASE("a dropped lease and a lost idle connection are replaced") {
    auto node = pool_of(2);
    node.acquire(start);
    node.acquire(start);
    CHECK(node.start_connects(start) == 2);
    node.connected();
    node.connected();
    node.dropped();
    CHECK(node.start_connects(start) == 1);
    node.connected();
    node.returned();
    node.idle_lost();
    CHECK(node.start_connects(start) == 1);
}

TEST_CASE("while the server can't be reached tries are single and pauses double up to a limit") {
    auto node = pool_of(4);
    auto now = start;
    std::vector<std::chrono::milliseconds> pauses;
    node.want(1);
    for (int i = 0; i < 6; ++i) {
        CHECK(node.start_connects(now) == 1);
        node.connect_failed(now, 0.0);
        pauses.push_back(node.backoff());
        CHECK(node.start_connects(now) == 0);
        now = *node.retry_at();
    }
    CHECK(pauses ==
          std::vector<std::chrono::milliseconds>{100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms});
}

TEST_CASE("jitter takes up to half off a pause") {
    auto node = pool_of(1);
    node.want(1);
    node.start_connects(start);
    node.connect_failed(start, 1.0);
    CHECK(node.backoff() == 50ms);
}

TEST_CASE("a failed connect fails the waiters, and the next ones at once until it is tried again") {
    auto node = pool_of(4);
    const auto a = node.acquire(start).id;
    const auto b = node.acquire(start).id;
    CHECK(node.start_connects(start) == 2);
    CHECK(node.connect_failed(start, 0.0).empty());
    CHECK(node.connect_failed(start, 0.0) == std::vector<pool_node::waiter>{a, b});
    CHECK(node.acquire(start).what == answer::unavailable);
    CHECK(node.acquire(*node.retry_at()).what == answer::wait);
}

TEST_CASE("waiters stay when a lease may come back to them") {
    auto node = pool_of(2);
    node.acquire(start);
    node.start_connects(start);
    node.connected();
    const auto waiting = node.acquire(start).id;
    CHECK(node.start_connects(start) == 1);
    CHECK(node.connect_failed(start, 0.0).empty());
    CHECK(node.returned().id == waiting);
}

TEST_CASE("the pool grows back to what it was after the server returns") {
    auto node = pool_of(3);
    for (int i = 0; i < 3; ++i)
        node.acquire(start);
    CHECK(node.start_connects(start) == 3);
    for (int i = 0; i < 3; ++i)
        node.connected();
    for (int i = 0; i < 3; ++i)
        node.returned();
    for (int i = 0; i < 3; ++i)
        node.idle_lost();
    CHECK(node.start_connects(start) == 3);
    for (int i = 0; i < 3; ++i)
        node.connect_failed(start, 0.0);
    const auto later = *node.retry_at();
    CHECK(node.start_connects(later) == 1);
    node.connected();
    CHECK(node.start_connects(later) == 2);
}

TEST_CASE("after shut nothing is opened and everything that comes back is closed") {
    auto node = pool_of(1);
    node.acquire(start);
    node.start_connects(start);
    node.connected();
    const auto waiting = node.acquire(start).id;
    CHECK(node.shut() == std::vector<pool_node::waiter>{waiting});
    CHECK(node.acquire(start).what == answer::shutting_down);
    CHECK(node.returned().where == place::close);
    CHECK(node.start_connects(start) == 0);
    CHECK_FALSE(node.retry_at());
}
