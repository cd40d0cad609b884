#pragma once

#include <exportd/observe/event.hpp>

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <string_view>

namespace exportd::observe {

// What the events of reports add up to.
class report_counters {
public:
    // The registry outlives it.
    explicit report_counters(prometheus::Registry& registry);

    // False for an event that is none of these. For any thread.
    bool count(const event& e);

private:
    std::map<std::string_view, prometheus::Counter*> reports_;  // by outcome
    prometheus::Histogram* duration_;
};

}  // namespace exportd::observe
