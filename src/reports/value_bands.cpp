#include <exportd/reports/value_bands.hpp>

namespace exportd::reports {
namespace {

constexpr std::size_t most_bands = 10;
constexpr int powers = 12;

std::vector<std::string> make_ends() {
    std::vector<std::string> ends{"0"};
    for (int power = 0; power < powers; ++power) {
        for (const char* digit : {"1", "2", "5"})
            ends.push_back(digit + std::string(static_cast<std::size_t>(power), '0'));
    }
    return ends;
}

value_band join(const value_band& low, const value_band& high) {
    return {low.from, high.to, low.orders + high.orders, low.net + high.net};
}

// Joins the two lowest or the two highest, whichever are fewer orders.
void shorten(std::vector<value_band>& bands) {
    const auto last = bands.size() - 1;
    const auto low = bands[0].orders + bands[1].orders;
    const auto high = bands[last - 1].orders + bands[last].orders;
    if (low < high) {
        bands[1] = join(bands[0], bands[1]);
        bands.erase(bands.begin());
    } else {
        bands[last - 1] = join(bands[last - 1], bands[last]);
        bands.pop_back();
    }
}

}  // namespace

const std::vector<std::string>& band_ends() {
    static const auto ends = make_ends();
    return ends;
}

std::vector<value_band> make_bands(const std::map<std::size_t, band_sum>& fine) {
    const auto& ends = band_ends();
    std::vector<value_band> bands;
    const auto negative = fine.find(0);
    const auto first = negative == fine.end() ? fine.begin() : std::next(negative);
    if (first != fine.end()) {
        const auto highest = fine.rbegin()->first;
        for (auto i = first->first; i <= highest; ++i) {
            value_band band;
            band.from = amount::parse(ends.at(i - 1));
            if (i < ends.size()) band.to = amount::parse(ends[i]);
            if (const auto found = fine.find(i); found != fine.end()) {
                band.orders = found->second.orders;
                band.net = found->second.net;
            }
            bands.push_back(std::move(band));
        }
    }
    while (bands.size() > most_bands)
        shorten(bands);
    if (negative != fine.end()) {
        const auto& sum = negative->second;
        bands.insert(bands.begin(), {std::nullopt, amount{}, sum.orders, sum.net});
    }
    return bands;
}

}  // namespace exportd::reports
