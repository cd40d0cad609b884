#pragma once

#include <exportd/observe/event.hpp>

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <map>
#include <string_view>

namespace exportd::observe {

// What the events of access and of the audit add up to.
class access_counters {
public:
    // The registry outlives it.
    explicit access_counters(prometheus::Registry& registry);

    // False for an event that is none of these. For any thread.
    bool count(const event& e);

private:
    std::map<std::string_view, prometheus::Counter*> refused_;  // by reason
    std::map<std::string_view, prometheus::Counter*> lost_;     // by sink
};

}  // namespace exportd::observe
