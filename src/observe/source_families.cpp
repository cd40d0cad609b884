#include "source_families.hpp"

#include <exportd/observe/readiness.hpp>

#include <algorithm>
#include <utility>

namespace exportd::observe {
namespace {

using prometheus::MetricType;

double number(const gauge& g) {
    return static_cast<double>(g.value());
}

}  // namespace

prometheus::MetricFamily& family_list::add(std::string name, std::string help, MetricType type) {
    auto& family = all.emplace_back();
    family.name = std::move(name);
    family.help = std::move(help);
    family.type = type;
    return family;
}

void family_list::gauge(std::string name, std::string help, std::optional<double> value) {
    auto& family = add(std::move(name), std::move(help), MetricType::Gauge);
    if (value) family.metric.emplace_back().gauge.value = *value;
}

void family_list::counter(std::string name, std::string help, std::optional<double> value) {
    auto& family = add(std::move(name), std::move(help), MetricType::Counter);
    if (value) family.metric.emplace_back().counter.value = *value;
}

void add_metric(prometheus::MetricFamily& family, std::string label, std::string value,
                double number) {
    auto& metric = family.metric.emplace_back();
    metric.label = {{std::move(label), std::move(value)}};
    metric.gauge.value = metric.counter.value = number;
}

void add_state(family_list& to, const gauges& state, const metric_sources& sources) {
    to.gauge("exportd_exports_running", "Exports that run now.", number(state.exports_running));
    to.gauge("exportd_exports_waiting", "Exports that wait for their turn now.",
             number(state.exports_waiting));
    to.gauge("exportd_shedding", "1 while new exports are refused to spare the loop.",
             number(state.shedding));
    to.gauge("exportd_http_connections", "Connections to the public listener now.",
             number(state.http_connections));
    to.gauge("exportd_pool_size", "Connections to PostgreSQL there may be.",
             number(state.pool_size));
    auto& pool = to.add("exportd_pool_connections", "Connections to PostgreSQL now, by state.",
                        MetricType::Gauge);
    add_metric(pool, "state", "idle", number(state.pool_idle));
    add_metric(pool, "state", "in_use", number(state.pool_in_use));
    add_metric(pool, "state", "connecting", number(state.pool_connecting));
    to.gauge("exportd_pool_waiting", "Queries that wait for a connection to PostgreSQL now.",
             number(state.pool_waiting));
    to.gauge("exportd_workers_threads", "Worker threads.", number(state.workers_threads));
    to.gauge("exportd_workers_busy", "Worker threads that run a task now.",
             number(state.workers_busy));
    to.gauge("exportd_workers_queued", "Tasks that wait for a worker thread now.",
             number(state.workers_queued));
    to.gauge("exportd_job_table_up", "1 while the job table can be asked, else 0.",
             1 - number(state.job_table_lost));
    to.gauge("exportd_file_store_up", "1 while files of background exports can be written, else 0.",
             1 - number(state.file_store_lost));
    to.gauge("exportd_jobs_running", "Background exports that this process runs now.",
             number(state.jobs_running));
    to.gauge("exportd_jobs_queued", "Background exports of all processes that wait.",
             number(state.jobs_queued));
    to.gauge("exportd_letters_waiting", "Letters of all processes that have not been sent yet.",
             number(state.letters_waiting));
    to.counter("exportd_log_dropped_total", "Log lines that nobody read in time.",
               sources.log_dropped ? static_cast<double>(sources.log_dropped()) : 0.0);

    const auto reasons = sources.not_ready ? sources.not_ready() : std::vector<std::string_view>{};
    to.gauge("exportd_ready", "1 while the service wants new work.", reasons.empty() ? 1 : 0);
    auto& not_ready =
        to.add("exportd_not_ready", "1 while the service is not ready for this reason.",
               MetricType::Gauge);
    for (const auto reason : readiness::every_reason) {
        const bool holds = std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
        add_metric(not_ready, "reason", std::string{reason}, holds ? 1 : 0);
    }
}

void add_versions(family_list& to,
                  const std::vector<std::pair<std::string, std::string>>& versions) {
    auto& zones = to.add("exportd_tzdata_info", "The zone rules in use.", MetricType::Gauge);
    prometheus::ClientMetric made_of;
    made_of.gauge.value = 1;
    for (const auto& [name, version] : versions) {
        // The zone rules are the system's and change without a new build.
        if (name == "tzdata") {
            add_metric(zones, "version", version, 1);
        } else {
            made_of.label.push_back({name == "exportd" ? "version" : name, version});
        }
    }
    to.add("exportd_build_info", "What this program is made of.", MetricType::Gauge)
        .metric.push_back(std::move(made_of));
}

}  // namespace exportd::observe
