#include <exportd/app/units.hpp>

#include <catch.hpp>

using namespace exportd::app;
using namespace std::chrono_literals;

TEST_CASE("A duration is a whole number with its unit", "[app][units]") {
    CHECK(parse_duration("250us") == 250us);
    CHECK(parse_duration("250ms") == 250ms);
    CHECK(parse_duration("30s") == 30s);
    CHECK(parse_duration("5m") == 5min);
    CHECK(parse_duration("1h") == 1h);
    CHECK(parse_duration("366d") == 24h * 366);
    CHECK(parse_duration("0s") == 0s);

    for (const char* wrong :
         {"", "30", "s", "-1s", "+1s", "1.5s", "30 s", " 30s", "30s ", "30S", "30sec", "0x1s",
          "10001d", "99999999999999999999s", "18446744073709551615d", "1h30m"}) {
        INFO(wrong);
        CHECK_FALSE(parse_duration(wrong));
    }
}

TEST_CASE("A size is a whole number with its unit", "[app][units]") {
    CHECK(parse_size("4096B") == 4096);
    CHECK(parse_size("64KiB") == 65536);
    CHECK(parse_size("1MiB") == 1048576);
    CHECK(parse_size("2GiB") == 2147483648);

    for (const char* wrong :
         {"", "64", "64K", "64kB", "64kib", "64 KiB", "-1B", "1.5MiB", "17179869184GiB"}) {
        INFO(wrong);
        CHECK_FALSE(parse_size(wrong));
    }
}

TEST_CASE("Durations and sizes are shown in the largest unit that divides them", "[app][units]") {
    CHECK(duration_text(90s) == "90s");
    CHECK(duration_text(120s) == "2m");
    CHECK(duration_text(24h) == "1d");
    CHECK(duration_text(1500us) == "1500us");
    CHECK(duration_text(0s) == "0s");
    CHECK(size_text(65536) == "64KiB");
    CHECK(size_text(1000) == "1000B");
    CHECK(size_text(0) == "0B");
}
