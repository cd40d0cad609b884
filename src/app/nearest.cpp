#include <exportd/app/nearest.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace exportd::app {

namespace {

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    const std::string* best = nullptr;
    std::size_t best_distance = 0;
    for (const std::string& candidate : candidates) {
        const std::size_t d = distance(word, candidate);
        if (best != nullptr && d >= best_distance) continue;
        best = &candidate;
        best_distance = d;
    }
    if (best == nullptr || best_distance * 3 > best->size()) return {};
    return "; did you mean \"" + *best + "\"?";
}

}  // namespace exportd::app
