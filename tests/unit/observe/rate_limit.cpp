#include <exportd/observe/rate_limit.hpp>

#include <catch.hpp>

using exportd::observe::rate_limit;
using namespace std::chrono_literals;

TEST_CASE("So many at once, then one for each interval, and the rest is counted",
          "[observe][rate_limit]") {
    rate_limit limit{3, 5s};
    const rate_limit::clock::time_point start{1h};
    int passed = 0;
    for (int i = 0; i < 10; ++i)
        passed += limit.allow(start) ? 1 : 0;
    CHECK(passed == 3);
    CHECK(limit.take_suppressed() == 7);
    CHECK(limit.take_suppressed() == 0);

    CHECK_FALSE(limit.allow(start + 4999ms));
    CHECK(limit.allow(start + 5s));
    CHECK_FALSE(limit.allow(start + 5s));
    CHECK(limit.take_suppressed() == 2);
    // A storm of an hour, ten a second: one each 5 s.
    passed = 0;
    for (auto now = start + 5s; now <= start + 1h; now += 100ms)
        passed += limit.allow(now) ? 1 : 0;
    CHECK(passed == 719);
    // Quiet time is not saved up beyond the burst.
    for (int i = 0; i < 10; ++i)
        passed += limit.allow(start + 3h) ? 1 : 0;
    CHECK(passed == 719 + 3);
}
