#include "../../../src/reports/axis.hpp"

#include "catch.hpp"

using namespace exportd::reports;

TEST_CASE("a scale has round steps and shows zero", "[reports]") {
    const auto up = make_axis(120, 870, 4);
    CHECK(up.ticks() == std::vector<double>{0, 500, 1000});
    const auto both = make_axis(-30, 95, 4);
    CHECK(both.low == -50);
    CHECK(both.high == 100);
    CHECK(both.place(0) == Approx(1.0 / 3));
    const auto down = make_axis(-7, -2, 4);
    CHECK(down.high == 0);
    CHECK(down.low == -8);
    CHECK(make_axis(0, 0, 4).ticks().size() == 2);
    CHECK(up.place(2000) == 1);
}

TEST_CASE("a few values far above the others do not hide them", "[reports]") {
    std::vector<double> values(30, 100);
    CHECK(readable_top(values) == 100);
    values[7] = 250;
    CHECK(readable_top(values) == 250);
    values[7] = 1e9;
    CHECK(readable_top(values) == Approx(115));
    CHECK(readable_top({1, 1e9}) == 1e9);
    CHECK(readable_top({}) == 0);
    CHECK(readable_top({-5, -6}) == 0);
}

TEST_CASE("numbers on axes are short", "[reports]") {
    CHECK(short_number(0) == "0");
    CHECK(short_number(950) == "950");
    CHECK(short_number(0.25) == "0.25");
    CHECK(short_number(12.5) == "12.50");
    CHECK(short_number(-0.001) == "0");
    CHECK(short_number(12'500) == "12.5k");
    CHECK(short_number(999'990) == "1M");
    CHECK(short_number(-3'000'000) == "-3M");
    CHECK(short_number(2e12) == "2tn");
    CHECK(short_amount(-1500, "£0.00") == "-£1.5k");
    CHECK(short_amount(1500, "0,00 €") == "1.5k €");
}
