#pragma once

#include <exportd/observe/event.hpp>
#include <exportd/observe/gauges.hpp>
#include <exportd/observe/metrics.hpp>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "access_counters.hpp"
#include "job_counters.hpp"
#include "report_counters.hpp"
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace exportd::observe {

// What events add up to; see metrics, which lists them.
class event_counters {
public:
    // The gauges outlive it.
    event_counters(const metric_names& names, gauges& state);

    void add_route(const std::string& route);

    // For any thread.
    void count(const event& e);

    std::vector<prometheus::MetricFamily> families() const { return registry_.Collect(); }

private:
    static constexpr std::array<std::string_view, 3> outcomes{"complete", "failed", "aborted"};

    struct ending {
        prometheus::Counter* count;
        prometheus::Histogram* duration;
    };
    struct export_series {
        std::map<std::string_view, ending> endings;  // by outcome
        prometheus::Counter* rows;
        prometheus::Counter* bytes;
        prometheus::Counter* fallbacks;
        prometheus::Histogram* first_byte;
    };

    // Of a running export, as far as its rows and bytes are counted already.
    struct counted {
        double rows = 0;
        double bytes = 0;
    };

    export_series& series_of(const event& e);
    void count_sent(export_series& series, const event& e, counted before);
    void export_progress(const event& e);
    void make_exports(const std::vector<std::string>& names);
    void make_tasks();
    void make_downloads();
    void export_started(const event& e);
    void export_finished(const event& e);
    void refused(std::string_view code);
    void waited(const event& e);
    void request_answered(const event& e);
    void task_finished(const event& e);
    void download_finished(const event& e);

    gauges& state_;
    prometheus::Registry registry_;
    job_counters jobs_;
    report_counters reports_;
    access_counters access_;
    std::map<std::string, export_series, std::less<>> exports_;
    std::mutex progress_mutex_;
    std::map<std::string, counted, std::less<>> progress_;        // by the export's id
    std::map<std::string_view, prometheus::Counter*> refused_;    // by reason
    std::map<std::string_view, prometheus::Counter*> tasks_;      // by outcome
    std::map<std::string_view, prometheus::Counter*> downloads_;  // by outcome
    prometheus::Counter* download_bytes_;
    std::set<std::string, std::less<>> routes_;
    prometheus::Family<prometheus::Counter>* requests_;
    // The family's own lock is held while it is read; this one never is. By route and status.
    std::mutex answers_mutex_;
    std::map<std::pair<std::string_view, int>, prometheus::Counter*> answers_;
    prometheus::Counter* connect_failures_;
    prometheus::Histogram* queue_wait_;
    prometheus::Histogram* task_wait_;
    prometheus::Histogram* task_run_;
};

}  // namespace exportd::observe
