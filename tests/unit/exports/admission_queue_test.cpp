#include <exportd/exports/admission_queue.hpp>

#include "catch.hpp"

using exportd::exports::admission_queue;
using answer = admission_queue::answer;

TEST_CASE("exports run up to the bound, wait up to the next and are refused after it",
          "[exports]") {
    admission_queue q{2, 1, 10};
    CHECK(q.enter("a").what == answer::runs);
    CHECK(q.enter("b").what == answer::runs);
    CHECK(q.enter("c").what == answer::waits);
    CHECK(q.enter("d").what == answer::queue_full);
    CHECK(q.running() == 2);
    CHECK(q.waiting() == 1);
}

TEST_CASE("what a client runs and what it waits for count together", "[exports]") {
    admission_queue q{1, 10, 2};
    CHECK(q.enter("a").what == answer::runs);
    CHECK(q.enter("a").what == answer::waits);
    CHECK(q.enter("a").what == answer::too_many_for_client);
    CHECK(q.enter("b").what == answer::waits);
}

TEST_CASE("a free place goes to who has waited longest", "[exports]") {
    admission_queue q{1, 10, 10};
    REQUIRE(q.enter("a").what == answer::runs);
    const auto b = q.enter("b").at;
    const auto c = q.enter("c").at;
    CHECK(q.leave("a") == b);
    CHECK(q.running() == 1);
    CHECK(q.leave("b") == c);
    CHECK_FALSE(q.leave("c"));
    CHECK(q.running() == 0);
}

TEST_CASE("one client with many requests does not starve another", "[exports]") {
    admission_queue q{2, 100, 100};
    REQUIRE(q.enter("greedy").what == answer::runs);
    REQUIRE(q.enter("greedy").what == answer::runs);
    for (int i = 0; i < 48; ++i)
        REQUIRE(q.enter("greedy").what == answer::waits);
    const auto modest = q.enter("modest").at;
    CHECK(q.leave("greedy") == modest);
}

TEST_CASE("who gives up is passed over and counts no more", "[exports]") {
    admission_queue q{1, 10, 2};
    REQUIRE(q.enter("a").what == answer::runs);
    const auto b = q.enter("b").at;
    const auto c = q.enter("c").at;
    q.give_up(b);
    q.give_up(b);
    CHECK(q.waiting() == 1);
    CHECK(q.leave("a") == c);
    CHECK(q.enter("b").what == answer::waits);
    CHECK(q.enter("b").what == answer::waits);
    CHECK(q.enter("b").what == answer::too_many_for_client);
}

TEST_CASE("without a queue what does not run is refused", "[exports]") {
    admission_queue q{1, 0, 5};
    CHECK(q.enter("a").what == answer::runs);
    CHECK(q.enter("b").what == answer::queue_full);
    CHECK_FALSE(q.leave("a"));
    CHECK(q.enter("b").what == answer::runs);
}
