#include <exportd/observe/utilisation_window.hpp>

#include <algorithm>

namespace exportd::observe {

double utilisation_window::share(const point& from, const point& to) noexcept {
    const std::chrono::duration<double> all = to.at - from.at;
    const std::chrono::duration<double> worked = to.busy - from.busy;
    return std::clamp(worked / all, 0.0, 1.0);
}

const utilisation_window::point* utilisation_window::full_slot(
    clock::time_point now) const noexcept {
    if (!started_) return nullptr;
    if (now - sampled_.at >= slot) return &sampled_;
    return now - begun_.at >= slot ? &begun_ : nullptr;
}

void utilisation_window::sample(clock::time_point now, std::chrono::nanoseconds busy) noexcept {
    const point here{now, busy};
    if (const auto* from = full_slot(now)) {
        last_ = share(*from, here);
        begun_ = here;
    }
    if (!started_) begun_ = here;
    started_ = true;
    sampled_ = here;
}

double utilisation_window::ratio(clock::time_point now,
                                 std::chrono::nanoseconds busy) const noexcept {
    const auto* from = full_slot(now);
    return from == nullptr ? last_ : share(*from, {now, busy});
}

}  // namespace exportd::observe
