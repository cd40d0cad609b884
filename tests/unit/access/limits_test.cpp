#include <exportd/access/failure_limit.hpp>
#include <exportd/access/network.hpp>
#include <exportd/access/quota.hpp>

#include "catch.hpp"

using namespace exportd::access;
using namespace std::chrono;

namespace {

const auto start = failure_limit::clock::time_point{} + 24h;
const auto noon = sys_days{2026y / 12 / 1} + 12h;

}  // namespace

TEST_CASE("networks hold the addresses of their prefix", "[access]") {
    const auto n = networks::parse("10.0.0.0/8, ::1/128,192.168.1.1 , 2001:db8::/33");
    REQUIRE(n);
    for (const auto* inside : {"10.0.0.0", "10.255.255.255", "::1", "192.168.1.1",
                               "2001:db8:7fff::1", "::ffff:10.1.2.3"})
        CHECK(n->contains(inside));
    for (const auto* outside : {"11.0.0.0", "9.255.255.255", "::2", "192.168.1.2",
                                "2001:db8:8000::1", "::10.1.2.3", "", "unknown", "10.1"})
        CHECK_FALSE(n->contains(outside));
    CHECK(networks::parse("")->empty());
    CHECK(networks::parse("0.0.0.0/0")->contains("203.0.113.9"));
    CHECK_FALSE(networks::parse("0.0.0.0/0")->contains("2001:db8::1"));
}

TEST_CASE("what is no network is refused", "[access]") {
    for (const auto* wrong : {"10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0",
                              "10.0.0.0/8,", ",", "::/129", "localhost", "10.0.0.0/8 10.1.0.0/16"})
        CHECK_FALSE(networks::parse(wrong));
}

TEST_CASE("after five failures the answers to an address come later and later", "[access]") {
    failure_limit limit;
    for (int i = 0; i < 5; ++i)
        CHECK(limit.next_delay("203.0.113.9", start) == 0ms);
    CHECK(limit.next_delay("203.0.113.9", start) == 1s);
    CHECK(limit.next_delay("203.0.113.9", start) == 2s);
    CHECK(limit.next_delay("203.0.113.9", start) == 4s);
    CHECK_FALSE(limit.crowded("203.0.113.9"));
    CHECK(limit.next_delay("203.0.113.9", start) == 8s);
    CHECK(limit.crowded("203.0.113.9"));
    CHECK_FALSE(limit.crowded("203.0.113.10"));
    limit.delay_over("203.0.113.9");
    CHECK_FALSE(limit.crowded("203.0.113.9"));
    CHECK(limit.next_delay("203.0.113.9", start) == 8s);
    CHECK(limit.next_delay("203.0.113.9", start + 11min) == 0ms);
}

TEST_CASE("the addresses of one IPv6 network fail together", "[access]") {
    failure_limit limit;
    for (int i = 0; i < 5; ++i)
        limit.next_delay("2001:db8::" + std::to_string(i), start);
    CHECK(limit.next_delay("2001:db8::ffff", start) == 1s);
    CHECK(limit.next_delay("2001:db8:0:1::1", start) == 0ms);
}

TEST_CASE("a caller has so many requests a minute", "[access]") {
    quota q{{2, 0, 10}};
    const auto first = q.count_request("a", noon + 20s);
    CHECK(first.allowed);
    REQUIRE(first.requests);
    CHECK(first.requests->limit == 2);
    CHECK(first.requests->remaining == 1);
    CHECK(first.requests->reset == 40s);
    CHECK(q.count_request("a", noon + 21s).allowed);
    const auto third = q.count_request("a", noon + 59s);
    CHECK_FALSE(third.allowed);
    CHECK(third.requests->remaining == 0);
    CHECK(third.requests->reset == 1s);
    CHECK(q.count_request("b", noon + 59s).allowed);
    CHECK(q.count_request("a", noon + 60s).allowed);
    CHECK_FALSE(quota{{}}.count_request("a", noon).requests);
}

TEST_CASE("a caller begins nothing more once the day's rows are used", "[access]") {
    quota q{{0, 1000, 10}};
    CHECK(q.rows("a", noon)->remaining == 1000);
    q.count_rows("a", 999, noon);
    CHECK(q.rows("a", noon)->remaining == 1);
    q.count_rows("a", 500, noon);
    CHECK(q.rows("a", noon)->remaining == 0);
    CHECK(q.rows("a", noon)->reset == 12h);
    CHECK(q.rows("b", noon)->remaining == 1000);
    CHECK(q.rows("a", noon + 12h)->remaining == 1000);
    CHECK_FALSE(quota{{}}.rows("a", noon));
}

TEST_CASE("the caller that was seen longest ago is forgotten first", "[access]") {
    quota q{{0, 10, 2}};
    q.count_rows("a", 10, noon);
    q.count_rows("b", 10, noon + 1s);
    q.count_rows("a", 0, noon + 2s);
    q.count_rows("c", 10, noon + 3s);
    CHECK(q.rows("a", noon + 4s)->remaining == 0);
    CHECK(q.rows("b", noon + 4s)->remaining == 10);
}
