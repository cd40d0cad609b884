#pragma once

#include <exportd/observe/gauges.hpp>
#include <exportd/observe/metrics.hpp>

#include <prometheus/metric_family.h>

#include <optional>
#include <string>
#include <vector>

namespace exportd::observe {

// Families made when they are read, from what the sources of metrics tell now.
class family_list {
public:
    // A family of one metric without labels, or of none.
    void gauge(std::string name, std::string help, std::optional<double> value);
    void counter(std::string name, std::string help, std::optional<double> value);

    // A family to which the caller adds metrics; valid until the next one is added.
    prometheus::MetricFamily& add(std::string name, std::string help, prometheus::MetricType type);

    std::vector<prometheus::MetricFamily> all;
};

// One metric with one label, for a family of gauges or counters.
void add_metric(prometheus::MetricFamily& family, std::string label, std::string value,
                double number);

void add_loop(family_list& to, const metric_sources& sources,
              const std::vector<std::string>& routes);
void add_state(family_list& to, const gauges& state, const metric_sources& sources);
void add_system(family_list& to, const metric_sources& sources);
void add_versions(family_list& to,
                  const std::vector<std::pair<std::string, std::string>>& versions);

}  // namespace exportd::observe
