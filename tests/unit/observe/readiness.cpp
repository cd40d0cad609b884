#include <exportd/observe/readiness.hpp>

#include <catch.hpp>

using exportd::observe::outage_choice;
using exportd::observe::readiness;

namespace {

using list = std::vector<std::string_view>;

}  // namespace

TEST_CASE("Every reason against new work is told", "[observe][readiness]") {
    readiness r{outage_choice::fail};
    CHECK(r.reasons() == list{"starting"});
    r.set(readiness::state::ready);
    CHECK(r.reasons().empty());
    r.set_delayed(true);
    r.set_database_lost(true);
    r.set(readiness::state::draining);
    CHECK(r.reasons() == list{"draining", "delay", "database"});
    r.set(readiness::state::ready);
    r.set_delayed(false);
    r.set_database_lost(false);
    CHECK(r.reasons().empty());
}

TEST_CASE("A lost database is no reason unless it is chosen to be one", "[observe][readiness]") {
    readiness r;
    r.set(readiness::state::ready);
    r.set_database_lost(true);
    CHECK(r.reasons().empty());
}
