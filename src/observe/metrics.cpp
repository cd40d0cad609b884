#include <exportd/observe/metrics.hpp>

#include "event_counters.hpp"
#include "family_text.hpp"
#include "source_families.hpp"
#include <chrono>
#include <iterator>

namespace exportd::observe {

metrics::metrics(const metric_names& names)
    : versions_{names.versions},
      routes_{"other"},
      counters_{std::make_unique<event_counters>(names, state_)} {
}

metrics::~metrics() = default;

void metrics::add_route(const std::string& route) {
    routes_.push_back(route);
    counters_->add_route(route);
}

void metrics::set_sources(metric_sources sources) {
    sources_ = std::move(sources);
}

void metrics::observe(const event& e) noexcept {
    try {
        counters_->count(e);
    } catch (...) {
        // Out of memory: the event is not counted, its teller must not suffer.
    }
}

rendered_metrics metrics::render(std::string_view accept) {
    const auto started = std::chrono::steady_clock::now();
    family_list list;
    add_loop(list, sources_, routes_);
    add_state(list, state_, sources_);
    add_system(list, sources_);
    add_versions(list, versions_);
    list.gauge("exportd_metrics_render_seconds", "How long it took to write the metrics last time.",
               render_seconds_);
    auto counted = counters_->families();
    auto& all = list.all;
    all.insert(all.end(), std::make_move_iterator(counted.begin()),
               std::make_move_iterator(counted.end()));
    const auto form = wanted_exposition(accept);
    rendered_metrics r{content_type_of(form), family_text(std::move(all), form)};
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    render_seconds_ = took.count();
    return r;
}

}  // namespace exportd::observe
