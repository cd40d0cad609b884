#include <exportd/observe/cgroup_watch.hpp>

#include <utility>

namespace exportd::observe {
namespace {

constexpr std::chrono::seconds fresh{1};
constexpr double noticeable = 0.05;  // of the time

}  // namespace

const cgroup_usage& cgroup_watch::usage() {
    const auto now = now_();
    if (looks_.empty() || now - looks_.back().at >= fresh) {
        looks_.push_back({now, read_()});
        // One look at the window's far end stays, to compare with.
        while (looks_.size() > 2 && now - looks_[1].at >= window)
            looks_.pop_front();
    }
    return looks_.back().usage;
}

bool cgroup_watch::throttled() {
    usage();
    const auto& [then, before] = looks_.front();
    const auto& [now, after] = looks_.back();
    if (!before.throttled || !after.throttled || !before.throttled_periods ||
        !after.throttled_periods || *after.throttled_periods <= *before.throttled_periods)
        return false;
    const std::chrono::duration<double> stood = *after.throttled - *before.throttled;
    const std::chrono::duration<double> looked = now - then;
    return stood >= noticeable * looked;
}

}  // namespace exportd::observe
