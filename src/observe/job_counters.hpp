#pragma once

#include <exportd/observe/event.hpp>

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <string_view>

namespace exportd::observe {

// What the events of background exports and their letters add up to.
class job_counters {
public:
    // The registry outlives it.
    explicit job_counters(prometheus::Registry& registry);

    // False for an event that is none of these. For any thread.
    bool count(const event& e);

private:
    void job_finished(const event& e);

    std::map<std::string_view, prometheus::Counter*> jobs_;     // by outcome
    std::map<std::string_view, prometheus::Counter*> letters_;  // by outcome
    prometheus::Histogram* duration_;
    prometheus::Counter* rows_;
    prometheus::Counter* bytes_;
    prometheus::Counter* expired_;
    prometheus::Counter* failures_;
};

}  // namespace exportd::observe
