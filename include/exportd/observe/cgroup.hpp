#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace exportd::observe {

// What the control group of this process may use and has used. What it does not tell is empty.
struct cgroup_usage {
    std::optional<double> quota_cores;               // none: unlimited
    std::optional<std::uint64_t> periods;            // in which the quota was counted
    std::optional<std::uint64_t> throttled_periods;  // those in which it was used up
    std::optional<std::chrono::nanoseconds> throttled;
    std::optional<std::chrono::microseconds> pressure;  // in which some thread waited for a core
    std::optional<std::uint64_t> memory_bytes;
    std::optional<std::uint64_t> memory_limit_bytes;  // none: unlimited
};

// The control group that this process is in, of version 1, 2, or both beside each other. A limit
// may stand at any level above the process's own; the narrowest counts, and throttling is that
// of the level whose quota is narrowest. Not on the loop: it reads files.
class cgroup {
public:
    // Finds the group by proc/self/cgroup and proc/self/mountinfo under `root`, where the mounted
    // hierarchies are looked for, too. Without any, everything is empty.
    explicit cgroup(const std::filesystem::path& root = "/");

    cgroup_usage read() const;

    // One hierarchy's directories, from the process's own group up to the mount.
    struct hierarchy {
        std::vector<std::filesystem::path> levels;
        bool unified = false;  // version 2
    };

private:
    hierarchy cpu_;
    hierarchy memory_;
    hierarchy unified_;
};

// How many threads can work at the same time: the quota, rounded up, if it is below `cores`;
// at least 1.
std::size_t usable_cores(const cgroup_usage& usage, std::size_t cores) noexcept;

// The cores that the process may run on, by its affinity; at least 1.
std::size_t affine_cores() noexcept;

}  // namespace exportd::observe
