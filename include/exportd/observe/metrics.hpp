#pragma once

#include <exportd/observe/cgroup.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/exposition.hpp>
#include <exportd/observe/gauges.hpp>
#include <exportd/observe/loop_health.hpp>
#include <exportd/observe/process_usage.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace exportd::observe {

// What labels may hold. An event that names another export or route counts as "other".
struct metric_names {
    std::vector<std::string> exports;
    std::vector<std::pair<std::string, std::string>> versions;  // of what the program is made of
};

// What is looked up when metrics are read, on the thread that reads them. One that is not set
// counts as a source that has nothing to tell.
struct metric_sources {
    std::function<loop_health()> loop;
    std::function<stall_counts()> stalls;
    std::function<bool()> throttled;                           // by the CPU quota
    std::function<std::vector<std::string_view>()> not_ready;  // why; empty: ready
    std::function<std::uint64_t()> log_dropped;                // lines, since the start
    std::function<cgroup_usage()> cgroup;
    std::function<std::optional<process_usage>()> process;
};

class event_counters;

// The service's metrics: counts what events tell, reads `state` and the sources, and writes them
// all for Prometheus. Every family is there from the start.
//
//   export_started   export, queue_wait_ms (if it waited)
//   export_progress  export, export_id, rows and bytes so far
//   export_finished  export, export_id, outcome, code, rows, bytes, duration_ms, first_byte_ms,
//   fallbacks.
//                    One that failed with a refusal's code before its first byte is refused, not
//                    failed: an export is counted once.
//   export_refused   code of the problem; queue_wait_ms
//   request_answered route, status
//   database_unavailable
//   report_finished  outcome (complete, failed, aborted), duration_ms
//   report_refused
//   task_finished    outcome (done, failed, cancelled, refused), wait_ms, run_ms
//   job_finished     outcome (complete, failed, cancelled, retry, put_back, lost), rows, bytes,
//                    duration_ms
//   letter_finished  outcome (sent, retry, failed)
//   job_expired, job_table_unavailable, job_file_not_removed
//   download_finished  outcome (complete, failed, aborted), bytes
//
// observe() may be called from any thread and takes a microsecond or a few: atomic additions, and
// locks that are held for no longer.
class metrics final : public observer {
public:
    explicit metrics(const metric_names& names);
    ~metrics() override;
    metrics(const metrics&) = delete;
    metrics& operator=(const metrics&) = delete;

    // Before others use the metrics: routes' templates that are counted by name, and where to
    // look.
    void add_route(const std::string& route);
    void set_sources(metric_sources sources);

    void observe(const event& e) noexcept override;

    // What the owners of that state publish; for any thread.
    gauges& state() noexcept { return state_; }

    // All metrics, in the form that an Accept field asks for. For one thread at a time, not the
    // loop's: a source may read files. Changes no metric but the time that rendering takes.
    rendered_metrics render(std::string_view accept);

private:
    gauges state_;
    metric_sources sources_;
    std::vector<std::pair<std::string, std::string>> versions_;
    std::vector<std::string> routes_;
    std::unique_ptr<event_counters> counters_;
    double render_seconds_ = 0;
};

}  // namespace exportd::observe
