#include <exportd/work/task_queue.hpp>

#include "catch.hpp"
#include <vector>

using exportd::work::task_queue;

namespace {

std::vector<task_queue::id> drain(task_queue& q) {
    std::vector<task_queue::id> order;
    while (const auto id = q.pop())
        order.push_back(*id);
    return order;
}

}  // namespace

TEST_CASE("one caller's tasks run in their order", "[work]") {
    task_queue q{8};
    for (task_queue::id id = 1; id <= 3; ++id)
        REQUIRE(q.push("a", id));
    CHECK(q.size() == 3);
    CHECK(drain(q) == std::vector<task_queue::id>{1, 2, 3});
    CHECK(q.size() == 0);
}

TEST_CASE("callers take turns, however many tasks one has", "[work]") {
    task_queue q{100};
    for (task_queue::id id = 1; id <= 50; ++id)
        REQUIRE(q.push("many", id));
    REQUIRE(q.push("few", 51));
    REQUIRE(q.push("few", 52));
    const auto order = drain(q);
    CHECK(std::vector(order.begin(), order.begin() + 5) ==
          std::vector<task_queue::id>{1, 51, 2, 52, 3});
}

TEST_CASE("a full queue takes nothing", "[work]") {
    task_queue q{1};
    REQUIRE(q.push("a", 1));
    CHECK_FALSE(q.push("b", 2));
    CHECK(q.pop() == 1);
    CHECK(q.push("b", 3));
}

TEST_CASE("a removed task never runs and the next one does", "[work]") {
    task_queue q{8};
    REQUIRE(q.push("a", 1));
    REQUIRE(q.push("b", 2));
    REQUIRE(q.push("c", 3));
    CHECK(q.remove(2));
    CHECK(q.remove(1));
    CHECK_FALSE(q.remove(1));
    CHECK(drain(q) == std::vector<task_queue::id>{3});
}
