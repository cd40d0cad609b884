#include <exportd/observe/slow_turns.hpp>

namespace exportd::observe {

void slow_turns::add(const std::string* route, clock::duration took, clock::time_point now) {
    const std::string name = route == nullptr ? "other" : *route;
    {
        const std::lock_guard lock{mutex_};
        ++counts_[name];
    }
    if (!limit_.allow(now)) return;
    const std::chrono::duration<double, std::milli> ms = took;
    event e{level::warning, "slow_turn"};
    e.with("route", name).with("duration_ms", ms.count());
    if (const auto left_out = limit_.take_suppressed(); left_out != 0)
        e.with("suppressed", left_out);
    told_.observe(e);
}

std::map<std::string, std::uint64_t> slow_turns::counts() const {
    const std::lock_guard lock{mutex_};
    return counts_;
}

}  // namespace exportd::observe
