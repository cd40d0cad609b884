#pragma once

#include <exportd/observe/exposition.hpp>

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

namespace exportd::observe {

// The families as text, sorted by name and, within a family, by labels. A family without metrics
// has its type and help only. Counters are named with _total, and no type is used but counter,
// gauge and histogram. The unit, which OpenMetrics tells, is the last word of the name.
//
// Bounds of buckets are written the same in both forms (as "1.0", which OpenMetrics wants), so
// that a series keeps its identity whichever is scraped.
std::string family_text(std::vector<prometheus::MetricFamily> families, exposition form);

}  // namespace exportd::observe
