#include <exportd/observe/delay_histogram.hpp>

#include <catch.hpp>

using exportd::observe::delay_histogram;
using namespace std::chrono_literals;

TEST_CASE("An empty histogram is all zeros", "[observe][histogram]") {
    const delay_histogram h;
    CHECK(h.count() == 0);
    CHECK(h.percentile(50) == 0us);
    CHECK(h.max() == 0us);
    CHECK(h.mean() == 0us);
    CHECK(h.count_up_to(60s) == 0);
}

TEST_CASE("Percentiles are exact below 128 us", "[observe][histogram]") {
    delay_histogram h;
    for (int i = 1; i <= 100; ++i)
        h.add(std::chrono::microseconds{i});
    CHECK(h.percentile(0) == 1us);
    CHECK(h.percentile(50) == 50us);
    CHECK(h.percentile(99) == 99us);
    CHECK(h.percentile(99.1) == 100us);
    CHECK(h.percentile(100) == 100us);
    CHECK(h.max() == 100us);
    CHECK(h.mean() == 50us);  // 50.5 rounded down
    CHECK(h.sum() == 5050us);
    CHECK(h.count_up_to(25us) == 25);
}

TEST_CASE("Above, a percentile is the end of its bucket, and max and mean stay exact",
          "[observe][histogram]") {
    delay_histogram h;
    h.add(128us);
    h.add(1000us);
    h.add(5000us);
    h.add(1s);
    h.add(60s);
    CHECK(h.percentile(20) == 129us);
    CHECK(h.percentile(40) == 1007us);
    CHECK(h.percentile(60) == 5055us);
    CHECK(h.percentile(80) == 1007615us);
    CHECK(h.percentile(100) == 60s);
    CHECK(h.max() == 60s);
    CHECK(h.sum() == 61006128us);
    CHECK(h.mean() == 12201225us);
}

TEST_CASE("No percentile is off by more than 1.6 %", "[observe][histogram]") {
    for (std::int64_t value = 1; value <= 60'000'000; value += 1 + value / 97) {
        delay_histogram h;
        h.add(std::chrono::microseconds{value});
        h.add(67s);
        const std::int64_t read = h.percentile(50).count();
        CHECK(read >= value);
        CHECK((read - value) * 64 <= value);
    }
}

TEST_CASE("Delays out of range are kept as well as can be", "[observe][histogram]") {
    delay_histogram h;
    h.add(-5us);
    CHECK(h.max() == 0us);
    h.add(1h);
    CHECK(h.count() == 2);
    CHECK(h.percentile(100) == 1h);
    CHECK(h.max() == 1h);
    CHECK(h.mean() == 30min);
}

TEST_CASE("A delay can count several times", "[observe][histogram]") {
    delay_histogram h;
    h.add(10us, 99);
    h.add(100us, 1);
    h.add(1s, 0);
    CHECK(h.count() == 100);
    CHECK(h.percentile(99) == 10us);
    CHECK(h.percentile(100) == 100us);
    CHECK(h.max() == 100us);
}

TEST_CASE("since() is what happened after a copy was taken", "[observe][histogram]") {
    delay_histogram h;
    h.add(1s, 5);
    const delay_histogram before = h;
    h.add(100us, 3);
    h.add(1000us);

    const delay_histogram recent = h.since(before);
    CHECK(recent.count() == 4);
    CHECK(recent.percentile(50) == 100us);
    CHECK(recent.max() == 1007us);
    CHECK(recent.sum() == 1300us);
    CHECK(h.since(h).count() == 0);
    CHECK(h.since(h).max() == 0us);
}

TEST_CASE("Histograms add up", "[observe][histogram]") {
    delay_histogram a;
    a.add(10us);
    delay_histogram b;
    b.add(30us, 2);
    a.add(b);
    CHECK(a.count() == 3);
    CHECK(a.percentile(100) == 30us);
    CHECK(a.mean() == 23us);
    a.clear();
    CHECK(a.count() == 0);
    CHECK(a.max() == 0us);
}
