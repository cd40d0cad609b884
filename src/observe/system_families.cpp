#include "source_families.hpp"
#include <chrono>

namespace exportd::observe {
namespace {

std::optional<double> number(std::optional<std::uint64_t> value) {
    if (!value) return std::nullopt;
    return static_cast<double>(*value);
}

template <class Duration>
std::optional<double> seconds(std::optional<Duration> time) {
    if (!time) return std::nullopt;
    return std::chrono::duration<double>(*time).count();
}

void add_cgroup(family_list& to, const cgroup_usage& u) {
    to.gauge("exportd_cgroup_cpu_quota_cores",
             "CPU quota of the control group, in cores; absent without one.", u.quota_cores);
    to.counter("exportd_cgroup_cpu_periods_total", "Periods in which the CPU quota was counted.",
               number(u.periods).value_or(0));
    to.counter("exportd_cgroup_cpu_throttled_periods_total",
               "Periods in which the CPU quota was used up.",
               number(u.throttled_periods).value_or(0));
    to.counter("exportd_cgroup_cpu_throttled_seconds_total",
               "Time that threads stood still because the CPU quota was used up.",
               seconds(u.throttled).value_or(0));
    to.counter("exportd_cgroup_cpu_pressure_seconds_total",
               "Time in which a thread waited for a core; absent without control groups v2.",
               seconds(u.pressure));
    to.gauge("exportd_cgroup_memory_bytes", "Memory that the control group uses.",
             number(u.memory_bytes));
    to.gauge("exportd_cgroup_memory_limit_bytes",
             "Memory that the control group may use; absent without a limit.",
             number(u.memory_limit_bytes));
}

void add_process(family_list& to, const process_usage& u) {
    to.counter("process_cpu_seconds_total", "CPU time of the process, user and system.",
               u.cpu_seconds);
    to.gauge("process_start_time_seconds", "When the process started, since 1970.",
             u.start_time_seconds);
    to.gauge("process_resident_memory_bytes", "Memory of the process that is in RAM.",
             static_cast<double>(u.resident_bytes));
    to.gauge("process_virtual_memory_bytes", "Address space of the process.",
             static_cast<double>(u.virtual_bytes));
    to.gauge("process_threads", "Threads of the process.", static_cast<double>(u.threads));
    to.gauge("process_open_fds", "Open file descriptors.", static_cast<double>(u.open_fds));
    to.gauge("process_max_fds", "File descriptors that may be open; absent without a limit.",
             number(u.max_fds));
}

}  // namespace

void add_system(family_list& to, const metric_sources& sources) {
    add_cgroup(to, sources.cgroup ? sources.cgroup() : cgroup_usage{});
    const auto process = sources.process ? sources.process() : std::nullopt;
    add_process(to, process.value_or(process_usage{}));
}

}  // namespace exportd::observe
