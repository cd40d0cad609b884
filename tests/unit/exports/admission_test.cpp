#include <exportd/exports/admission.hpp>

#include "catch.hpp"

using exportd::exports::admission;

TEST_CASE("exports are bounded for a client and in all", "[exports]") {
    admission gate{3, 2};
    auto a1 = gate.enter("a");
    auto a2 = gate.enter("a");
    REQUIRE(a1.granted);
    REQUIRE(a2.granted);

    const auto a3 = gate.enter("a");
    CHECK_FALSE(a3.granted);
    CHECK(a3.reason == admission::refusal::too_many_for_client);

    auto b1 = gate.enter("b");
    REQUIRE(b1.granted);
    const auto b2 = gate.enter("b");
    CHECK_FALSE(b2.granted);
    CHECK(b2.reason == admission::refusal::too_many_in_all);
    CHECK(gate.running() == 3);
}

TEST_CASE("a ticket gives its place back once", "[exports]") {
    admission gate{1, 1};
    {
        auto first = gate.enter("a");
        auto moved = std::move(*first.granted);
        CHECK(gate.running() == 1);
    }
    CHECK(gate.running() == 0);
    CHECK(gate.enter("a").granted);
}
