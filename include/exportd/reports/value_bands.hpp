#pragma once

#include <exportd/reports/amount.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace exportd::reports {

// The ends of the fine bands, ascending: 0, and 1, 2 and 5 times each power of ten.
const std::vector<std::string>& band_ends();

// What the orders of one fine band add up to.
struct band_sum {
    std::uint64_t orders = 0;
    amount net;
};

// Orders whose amount is at least `from` and less than `to`; without one there is no such end.
struct value_band {
    std::optional<amount> from;
    std::optional<amount> to;
    std::uint64_t orders = 0;
    amount net;
};

// Few bands that show how amounts are spread: all below zero in one, and of the others the outer
// ones joined where few orders are, until no more than ten are left. The key is that of
// PostgreSQL's width_bucket(amount, band_ends()). Empty without orders.
std::vector<value_band> make_bands(const std::map<std::size_t, band_sum>& fine);

}  // namespace exportd::reports
