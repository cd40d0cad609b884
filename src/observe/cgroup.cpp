#include <exportd/observe/cgroup.hpp>

#include "cgroup_hierarchy.hpp"
#include "small_file.hpp"
#include <algorithm>
#include <cmath>
#include <sched.h>

namespace exportd::observe {
namespace {

using std::filesystem::path;

std::optional<double> quota_of(const path& level, bool unified) {
    std::optional<std::uint64_t> quota;
    std::optional<std::uint64_t> period;
    if (unified) {
        const auto file = read_small_file(level / "cpu.max");
        std::string_view text = file;
        quota = to_count(take_part(text, " \n"));
        period = to_count(take_part(text, " \n"));
    } else {
        const auto number = [&level](const char* name) {
            const auto file = read_small_file(level / name);
            std::string_view text = file;
            return to_count(take_part(text, "\n"));
        };
        quota = number("cpu.cfs_quota_us");
        period = number("cpu.cfs_period_us");
    }
    if (!quota || !period || *period == 0) return std::nullopt;
    return static_cast<double>(*quota) / static_cast<double>(*period);
}

void read_cpu(const cgroup::hierarchy& h, cgroup_usage& u) {
    if (h.levels.empty()) return;
    path narrowest = h.levels.front();
    for (const auto& level : h.levels) {
        const auto quota = quota_of(level, h.unified);
        if (!quota || (u.quota_cores && *u.quota_cores <= *quota)) continue;
        u.quota_cores = quota;
        narrowest = level;
    }
    const auto stat = read_small_file(narrowest / "cpu.stat");
    u.periods = count_of(stat, "nr_periods");
    u.throttled_periods = count_of(stat, "nr_throttled");
    if (const auto ns = count_of(stat, "throttled_time")) {
        u.throttled = std::chrono::nanoseconds{*ns};
    } else if (const auto us = count_of(stat, "throttled_usec")) {
        u.throttled = std::chrono::microseconds{*us};
    }
}

std::optional<std::uint64_t> bytes_in(const path& file) {
    const auto content = read_small_file(file);
    std::string_view text = content;
    return to_count(take_part(text, "\n"));
}

void read_memory(const cgroup::hierarchy& h, cgroup_usage& u) {
    if (h.levels.empty()) return;
    // Version 1 says "unlimited" with the largest multiple of a page.
    constexpr std::uint64_t unlimited = std::uint64_t{1} << 60U;
    u.memory_bytes =
        bytes_in(h.levels.front() / (h.unified ? "memory.current" : "memory.usage_in_bytes"));
    for (const auto& level : h.levels) {
        const auto limit = bytes_in(level / (h.unified ? "memory.max" : "memory.limit_in_bytes"));
        if (!limit || *limit >= unlimited) continue;
        u.memory_limit_bytes = std::min(*limit, u.memory_limit_bytes.value_or(*limit));
    }
}

// The line is: some avg10=0.00 avg60=0.00 avg300=0.00 total=1234
std::optional<std::chrono::microseconds> read_pressure(const cgroup::hierarchy& h) {
    if (h.levels.empty()) return std::nullopt;
    const auto file = read_small_file(h.levels.front() / "cpu.pressure");
    std::string_view text = file;
    auto line = take_part(text, "\n");
    if (take_part(line, " ") != "some") return std::nullopt;
    constexpr std::string_view name = "total=";
    const auto at = line.find(name);
    if (at == std::string_view::npos) return std::nullopt;
    const auto total = to_count(line.substr(at + name.size()));
    if (!total) return std::nullopt;
    return std::chrono::microseconds{*total};
}

}  // namespace

cgroup::cgroup(const path& root)
    : cpu_{find_hierarchy(root, "cpu")},
      memory_{find_hierarchy(root, "memory")},
      unified_{find_hierarchy(root, {})} {
}

cgroup_usage cgroup::read() const {
    cgroup_usage u;
    read_cpu(cpu_, u);
    read_memory(memory_, u);
    u.pressure = read_pressure(unified_);
    return u;
}

std::size_t usable_cores(const cgroup_usage& usage, std::size_t cores) noexcept {
    const auto most = std::max<std::size_t>(cores, 1);
    if (!usage.quota_cores) return most;
    const double quota = std::ceil(*usage.quota_cores);
    if (quota >= static_cast<double>(most)) return most;
    return std::max<std::size_t>(static_cast<std::size_t>(quota), 1);
}

std::size_t affine_cores() noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return static_cast<std::size_t>(std::max(CPU_COUNT(&set), 1));
}

}  // namespace exportd::observe
