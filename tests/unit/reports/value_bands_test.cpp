#include <exportd/reports/value_bands.hpp>

#include "catch.hpp"
#include <algorithm>

using namespace exportd::reports;

namespace {

std::string told(const value_band& b) {
    return (b.from ? b.from->text() : "") + ".." + (b.to ? b.to->text() : "") + " " +
           std::to_string(b.orders) + " " + b.net.text();
}

band_sum sum(std::uint64_t orders, const char* net) {
    return {orders, amount::parse(net)};
}

}  // namespace

TEST_CASE("the ends of bands ascend", "[reports]") {
    const auto& ends = band_ends();
    CHECK(ends.front() == "0");
    CHECK(ends.back() == "500000000000");
    CHECK(std::is_sorted(ends.begin(), ends.end(), [](const auto& a, const auto& b) {
        return amount::parse(a) < amount::parse(b);
    }));
}

TEST_CASE("bands between others are there also when they are empty", "[reports]") {
    const auto bands = make_bands({{1, sum(2, "0.99")}, {4, sum(1, "5")}});
    REQUIRE(bands.size() == 4);
    CHECK(told(bands[0]) == "0..1 2 0.99");
    CHECK(told(bands[1]) == "1..2 0 0");
    CHECK(told(bands[3]) == "5..10 1 5");
    CHECK(make_bands({}).empty());
}

TEST_CASE("all amounts below zero are one band", "[reports]") {
    const auto bands = make_bands({{0, sum(3, "-7.5")}});
    REQUIRE(bands.size() == 1);
    CHECK(told(bands[0]) == "..0 3 -7.5");
}

TEST_CASE("the last band has no end", "[reports]") {
    const auto last = band_ends().size();
    const auto bands = make_bands({{last, sum(1, "999999999999")}});
    REQUIRE(bands.size() == 1);
    CHECK(told(bands[0]) == "500000000000.. 1 999999999999");
}

TEST_CASE("outer bands are joined where few orders are", "[reports]") {
    std::map<std::size_t, band_sum> fine;
    for (std::size_t i = 1; i <= 12; ++i)
        fine[i] = sum(100, "1");
    fine[30] = sum(1, "1000");
    fine[0] = sum(5, "-5");
    const auto bands = make_bands(fine);
    REQUIRE(bands.size() == 11);
    std::uint64_t orders = 0;
    amount net;
    for (std::size_t i = 0; i < bands.size(); ++i) {
        orders += bands[i].orders;
        net += bands[i].net;
        if (i > 0) CHECK(*bands[i - 1].to == *bands[i].from);
    }
    CHECK(orders == 1206);
    CHECK(net.text() == "1007");
    CHECK(bands.back().orders < 400);
}
