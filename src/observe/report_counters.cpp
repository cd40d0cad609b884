#include "report_counters.hpp"

#include "event_fields.hpp"
#include <array>
#include <string>

namespace exportd::observe {

report_counters::report_counters(prometheus::Registry& registry) {
    static constexpr std::array<std::string_view, 4> outcomes{"complete", "failed", "aborted",
                                                              "refused"};
    auto& ends = prometheus::BuildCounter()
                     .Name("exportd_reports_total")
                     .Help("Reports that were asked for, by outcome.")
                     .Register(registry);
    for (const auto outcome : outcomes)
        reports_[outcome] = &ends.Add({{"outcome", std::string{outcome}}});
    duration_ = &prometheus::BuildHistogram()
                     .Name("exportd_report_duration_seconds")
                     .Help("Time from a report's begin to its end, its wait for a thread included.")
                     .Register(registry)
                     .Add({}, prometheus::Histogram::BucketBoundaries{0.05, 0.1, 0.25, 0.5, 1, 2.5,
                                                                      5, 10, 30, 60, 300});
}

bool report_counters::count(const event& e) {
    const bool refused = e.name() == "report_refused";
    if (!refused && e.name() != "report_finished") return false;
    const auto end = reports_.find(refused ? "refused" : text_of(e, "outcome"));
    if (end != reports_.end()) end->second->Increment();
    observe_ms(*duration_, e, "duration_ms");
    return true;
}

}  // namespace exportd::observe
