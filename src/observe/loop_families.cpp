#include "source_families.hpp"
#include <array>
#include <chrono>
#include <limits>

namespace exportd::observe {
namespace {

using prometheus::MetricType;

constexpr std::array<double, 14> delay_buckets{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                               0.1,    0.25,  0.5,    1,     2.5,  5,     10};

// A delay that a person notices; what is below needs no explanation.
constexpr std::chrono::milliseconds noticeable_delay{20};

template <class Duration>
double seconds(Duration time) {
    return std::chrono::duration<double>(time).count();
}

void add_delays(family_list& to, const delay_histogram& delays) {
    auto& family =
        to.add("exportd_loop_delay_seconds",
               "How late ready callbacks ran on the loop, since the start.", MetricType::Histogram);
    auto& h = family.metric.emplace_back().histogram;
    for (const double bound : delay_buckets) {
        const auto limit = std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::duration<double>(bound));
        h.bucket.push_back({delays.count_up_to(limit), bound});
    }
    h.bucket.push_back({delays.count(), std::numeric_limits<double>::infinity()});
    h.sample_count = delays.count();
    h.sample_sum = seconds(delays.sum());
}

}  // namespace

void add_loop(family_list& to, const metric_sources& sources,
              const std::vector<std::string>& routes) {
    const auto health = sources.loop ? sources.loop() : loop_health{};
    const auto stalls = sources.stalls ? sources.stalls() : stall_counts{};
    const bool held_up = sources.throttled && sources.throttled();
    add_delays(to, health.delays);
    const auto& window = health.window;
    const std::string over = " delay of the loop in the last 10 s, a stall in progress included.";
    to.gauge("exportd_loop_delay_p50_seconds", "Median" + over, seconds(window.p50));
    to.gauge("exportd_loop_delay_p99_seconds", "99th percentile of the" + over,
             seconds(window.p99));
    to.gauge("exportd_loop_delay_max_seconds", "Longest" + over, seconds(window.max));
    to.gauge("exportd_loop_delay_mean_seconds", "Mean" + over, seconds(window.mean));
    to.counter("exportd_loop_busy_seconds_total", "Time that the loop ran handlers.",
               seconds(health.busy));
    to.counter("exportd_loop_turns_total", "Handlers that the loop ran.",
               static_cast<double>(health.turns));
    to.gauge("exportd_loop_utilisation_ratio",
             "Share of its time that the loop ran handlers, in the last second.",
             health.utilisation);
    auto& slow =
        to.add("exportd_loop_slow_turns_total",
               "Turns of the loop that took slow_turn or longer, by route.", MetricType::Counter);
    auto by_route = health.slow_turns;
    for (const auto& route : routes)
        by_route.try_emplace(route, 0);
    for (const auto& [route, turns] : by_route)
        add_metric(slow, "route", route, static_cast<double>(turns));
    to.counter("exportd_loop_stalls_total", "Times that the loop stood still.",
               static_cast<double>(stalls.stalls));
    to.counter("exportd_loop_stalled_seconds_total",
               "Time that the loop stood still, the stall in progress included.",
               seconds(stalls.stalled));
    to.gauge("exportd_loop_stall_seconds", "Length of the stall in progress, else 0.",
             seconds(stalls.current));
    to.gauge("exportd_loop_throttled",
             "1 while the loop is late because the CPU quota of its control group is used up.",
             held_up && window.p99 >= noticeable_delay ? 1 : 0);
}

}  // namespace exportd::observe
