#include <exportd/exports/receipts.hpp>

#include "catch.hpp"

using namespace exportd::exports;
using namespace std::chrono_literals;

namespace {

const auto noon = std::chrono::system_clock::time_point{1'000'000s};

receipt make(const std::string& id, std::chrono::system_clock::time_point at,
             const std::string& key = "k") {
    receipt r;
    r.export_id = id;
    r.request_key = key;
    r.started_at = at;
    return r;
}

void end(receipt& r, std::chrono::system_clock::time_point at) {
    r.state = receipt_state::complete;
    r.finished_at = at;
}

}  // namespace

TEST_CASE("a receipt is found by both of its ids", "[exports]") {
    receipt_store store{10, 1h};
    const auto kept = store.open(make("a", noon), "mine");
    REQUIRE(kept);
    CHECK(store.find("", "a", noon) == kept);
    CHECK(store.find("", "mine", noon) == kept);
    CHECK(store.find("", "b", noon) == nullptr);
    CHECK(name_of(kept->state) == "running");
}

TEST_CASE("a caller's id is taken while its export runs and by other requests", "[exports]") {
    receipt_store store{10, 1h};
    const auto first = store.open(make("a", noon), "mine");
    CHECK(store.open(make("b", noon), "mine") == nullptr);
    end(*first, noon);
    CHECK(store.open(make("c", noon, "other"), "mine") == nullptr);
    const auto again = store.open(make("d", noon), "mine");
    REQUIRE(again);
    CHECK(store.find("", "mine", noon) == again);
    CHECK(store.find("", "a", noon) == first);
}

TEST_CASE("receipts expire, running ones never", "[exports]") {
    receipt_store store{10, 1h};
    const auto ended = store.open(make("a", noon), std::nullopt);
    const auto running = store.open(make("b", noon), std::nullopt);
    end(*ended, noon);
    CHECK(store.find("", "a", noon + 1h) == ended);
    CHECK(store.find("", "a", noon + 1h + 1ms) == nullptr);
    CHECK(store.find("", "b", noon + 24h) == running);
}

TEST_CASE("the oldest ended receipts make room", "[exports]") {
    receipt_store store{3, 1h};
    const auto running = store.open(make("a", noon), std::nullopt);
    for (const auto* id : {"b", "c", "d", "e"})
        end(*store.open(make(id, noon), std::nullopt), noon);
    CHECK(store.find("", "a", noon) == running);
    CHECK(store.find("", "b", noon) == nullptr);
    CHECK(store.find("", "c", noon) == nullptr);
    CHECK(store.find("", "e", noon) != nullptr);
}

TEST_CASE("an id used again outlives its first receipt", "[exports]") {
    receipt_store store{4, 1h};
    end(*store.open(make("a", noon), "mine"), noon);
    const auto second = store.open(make("b", noon), "mine");
    end(*second, noon);
    end(*store.open(make("c", noon), std::nullopt), noon);
    CHECK(store.find("", "a", noon) == nullptr);
    CHECK(store.find("", "mine", noon) == second);
}

TEST_CASE("a receipt is its owner's alone, and so is the id that the owner chose", "[exports]") {
    receipt_store store{10, 1h};
    auto asked = make("a", noon);
    asked.owner = "token:anna";
    const auto hers = store.open(asked, "mine");
    REQUIRE(hers);
    CHECK(store.find("token:anna", "a", noon) == hers);
    CHECK(store.find("token:anna", "mine", noon) == hers);
    CHECK(store.find("token:ben", "a", noon) == nullptr);
    CHECK(store.find("token:ben", "mine", noon) == nullptr);
    CHECK(store.find("", "a", noon) == nullptr);

    auto other = make("b", noon, "other");
    other.owner = "token:ben";
    const auto his = store.open(other, "mine");
    REQUIRE(his);
    CHECK(store.find("token:ben", "mine", noon) == his);
    CHECK(store.find("token:anna", "mine", noon) == hers);
}

TEST_CASE("an owner's receipts are listed, the newest first", "[exports]") {
    receipt_store store{10, 1h};
    for (const auto* id : {"a", "b", "c"}) {
        auto r = make(id, noon);
        r.owner = id == std::string{"b"} ? "token:ben" : "token:anna";
        store.open(std::move(r), std::string{"chosen by "} + id);
    }
    const auto hers = store.list("token:anna", 20, noon);
    REQUIRE(hers.size() == 2);
    CHECK(hers[0]->export_id == "c");
    CHECK(hers[1]->export_id == "a");
    CHECK(store.list("token:anna", 1, noon).size() == 1);
}
