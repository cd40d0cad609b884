#include <exportd/observe/delay_window.hpp>

#include <algorithm>

namespace exportd::observe {

using std::chrono::microseconds;

std::int64_t delay_window::second_of(clock::time_point time) noexcept {
    return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

void delay_window::tick(clock::time_point due, clock::time_point now) noexcept {
    const std::int64_t second = second_of(now);
    slot& current = slots_[static_cast<std::size_t>(second) % slots_.size()];
    if (current.second != second) {
        current.second = second;
        current.delays.clear();
    }
    auto delay = std::max(std::chrono::floor<microseconds>(now - due), microseconds{0});
    do {
        current.delays.add(delay);
        total_.add(delay);
        delay -= resolution_;
    } while (delay > microseconds{0});
}

delay_summary delay_window::summary(clock::time_point now) const noexcept {
    const std::int64_t oldest = second_of(now) - length.count() + 1;
    delay_histogram all;
    for (const slot& s : slots_) {
        if (s.second >= oldest) all.add(s.delays);
    }
    return {all.percentile(50), all.percentile(99), all.max(), all.mean(), all.count()};
}

}  // namespace exportd::observe
