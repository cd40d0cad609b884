#pragma once

#include <exportd/observe/cgroup.hpp>

#include <chrono>
#include <deque>
#include <functional>

namespace exportd::observe {

// Looks at the control group about once a second and tells whether its quota holds the process
// up now. For one thread, which is not the loop's: `read` reads files.
class cgroup_watch {
public:
    using clock = std::chrono::steady_clock;

    // How far throttled() looks back.
    static constexpr std::chrono::seconds window{10};

    explicit cgroup_watch(std::function<cgroup_usage()> read,
                          std::function<clock::time_point()> now = clock::now)
        : read_{std::move(read)}, now_{std::move(now)} {}

    // Not older than a second.
    const cgroup_usage& usage();

    // Whether the quota was used up again within the window, and threads stood still for 5 % of
    // it or more. Compares with earlier looks, so it has to be asked every few seconds.
    bool throttled();

private:
    struct look {
        clock::time_point at;
        cgroup_usage usage;
    };

    std::function<cgroup_usage()> read_;
    std::function<clock::time_point()> now_;
    std::deque<look> looks_;
};

}  // namespace exportd::observe
