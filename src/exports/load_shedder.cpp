#include <exportd/exports/load_shedder.hpp>

namespace exportd::exports {

bool load_shedder::over(const loop_load& load, double part) const noexcept {
    const auto delay = static_cast<double>(load.delay_p99.count());
    const bool late = delay > part * static_cast<double>(limits_.max_delay.count());
    const bool busy =
        limits_.max_utilisation < 1 && load.utilisation > part * limits_.max_utilisation;
    return late || busy;
}

void load_shedder::update(const loop_load& load, time_point now) noexcept {
    const bool other = shedding_ ? !over(load, leave) : over(load, 1);
    if (!other) {
        since_.reset();
        return;
    }
    if (!since_) since_ = now;
    const auto needed = shedding_ ? calm : rise;
    if (now - *since_ < needed) return;
    shedding_ = !shedding_;
    since_.reset();
}

}  // namespace exportd::exports
