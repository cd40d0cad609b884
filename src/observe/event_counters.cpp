#include "event_counters.hpp"

#include "event_fields.hpp"
#include <algorithm>
#include <optional>

namespace exportd::observe {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildHistogram;
using buckets = prometheus::Histogram::BucketBoundaries;

constexpr std::string_view other = "other";

// Codes of problems that refuse an export; "invalid" stands for all that find fault with the
// request's own words.
constexpr std::array<std::string_view, 14> reasons{"overloaded",       "queue_full",
                                                   "queue_timeout",    "too_many_exports",
                                                   "shutting_down",    "too_many_rows",
                                                   "receipt_conflict", "not_found",
                                                   "client_gone",      "not_permitted",
                                                   "row_quota",        "audit_unavailable",
                                                   "invalid",          other};
constexpr std::array<std::string_view, 8> invalid{
    "bad_request",        "malformed_target",  "missing_parameter", "unknown_parameter",
    "repeated_parameter", "invalid_parameter", "invalid_range",     "range_too_long"};
// Those that an export may also end with that had begun.
constexpr std::array<std::string_view, 6> late_refusals{"overloaded",    "queue_full",
                                                        "queue_timeout", "too_many_exports",
                                                        "shutting_down", "too_many_rows"};
constexpr std::array<std::string_view, 4> task_outcomes{"done", "failed", "cancelled", "refused"};

}  // namespace

event_counters::event_counters(const metric_names& names, gauges& state)
    : state_{state}, jobs_{registry_}, reports_{registry_}, access_{registry_} {
    auto names_and_other = names.exports;
    if (!holds(names_and_other, other)) names_and_other.emplace_back(other);
    make_exports(names_and_other);
    make_tasks();
    make_downloads();
    auto& refusals = BuildCounter()
                         .Name("exportd_exports_refused_total")
                         .Help(
                             "Exports that were answered with a problem before they had begun to "
                             "be sent, by its code.")
                         .Register(registry_);
    for (const auto reason : reasons)
        refused_[reason] = &refusals.Add({{"reason", std::string{reason}}});
    requests_ = &BuildCounter()
                     .Name("exportd_http_requests_total")
                     .Help("Requests on the public listener, by the route's template and status.")
                     .Register(registry_);
    add_route(std::string{other});
    connect_failures_ = &BuildCounter()
                             .Name("exportd_pool_connect_failures_total")
                             .Help("Connects to PostgreSQL that failed.")
                             .Register(registry_)
                             .Add({});
}

void event_counters::make_exports(const std::vector<std::string>& names) {
    auto& ends = BuildCounter()
                     .Name("exportd_exports_total")
                     .Help("Exports that have ended, by name and outcome.")
                     .Register(registry_);
    auto& durations = BuildHistogram()
                          .Name("exportd_export_duration_seconds")
                          .Help("Time from an export's begin to its end.")
                          .Register(registry_);
    auto& first_bytes = BuildHistogram()
                            .Name("exportd_export_first_byte_seconds")
                            .Help("Time from an export's begin to its first byte.")
                            .Register(registry_);
    const auto counter = [this](const char* name, const char* help) {
        return &BuildCounter().Name(name).Help(help).Register(registry_);
    };
    auto* rows = counter("exportd_export_rows_total", "Rows sent.");
    auto* bytes = counter("exportd_export_bytes_total", "Bytes of CSV sent.");
    auto* fallbacks =
        counter("exportd_export_fallbacks_total",
                "Cells written in their plain form, as for an amount without a usable currency.");
    const buckets long_times{0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 3600};
    const buckets short_times{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};
    for (const auto& name : names) {
        const prometheus::Labels own{{"export", name}};
        auto& series = exports_[name];
        for (const auto outcome : outcomes) {
            const prometheus::Labels end{{"export", name}, {"outcome", std::string{outcome}}};
            series.endings[outcome] = {&ends.Add(end), &durations.Add(end, long_times)};
        }
        series.rows = &rows->Add(own);
        series.bytes = &bytes->Add(own);
        series.fallbacks = &fallbacks->Add(own);
        series.first_byte = &first_bytes.Add(own, short_times);
    }
    queue_wait_ = &BuildHistogram()
                       .Name("exportd_export_queue_wait_seconds")
                       .Help("Time that exports waited for their turn, served in the end or not.")
                       .Register(registry_)
                       .Add({}, buckets{0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60});
}

void event_counters::make_tasks() {
    auto& ends = BuildCounter()
                     .Name("exportd_workers_tasks_total")
                     .Help("Tasks of the worker threads, by outcome.")
                     .Register(registry_);
    for (const auto outcome : task_outcomes)
        tasks_[outcome] = &ends.Add({{"outcome", std::string{outcome}}});
    const buckets times{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60};
    task_wait_ = &BuildHistogram()
                      .Name("exportd_workers_wait_seconds")
                      .Help("Time that tasks waited for a worker thread.")
                      .Register(registry_)
                      .Add({}, times);
    task_run_ = &BuildHistogram()
                     .Name("exportd_workers_run_seconds")
                     .Help("Time that tasks ran on a worker thread.")
                     .Register(registry_)
                     .Add({}, times);
}

void event_counters::make_downloads() {
    auto& ends = BuildCounter()
                     .Name("exportd_downloads_total")
                     .Help("Downloads of finished background exports that have ended, by outcome.")
                     .Register(registry_);
    for (const auto outcome : outcomes)
        downloads_[outcome] = &ends.Add({{"outcome", std::string{outcome}}});
    download_bytes_ = &BuildCounter()
                           .Name("exportd_download_bytes_total")
                           .Help("Bytes of finished background exports that were sent.")
                           .Register(registry_)
                           .Add({});
}

void event_counters::add_route(const std::string& route) {
    routes_.insert(route);
    requests_->Add({{"route", route}, {"status", "200"}});
}

void event_counters::count(const event& e) {
    const auto name = e.name();
    if (jobs_.count(e) || reports_.count(e) || access_.count(e)) return;
    if (name == "request_answered") return request_answered(e);
    if (name == "export_started") return export_started(e);
    if (name == "export_progress") return export_progress(e);
    if (name == "export_finished") return export_finished(e);
    if (name == "task_finished") return task_finished(e);
    if (name == "download_finished") return download_finished(e);
    if (name == "database_unavailable") return connect_failures_->Increment();
    if (name == "export_refused") {
        waited(e);
        const auto code = text_of(e, "code");
        refused(code == "raw_not_permitted" ? "not_permitted" : code);
    }
}

void event_counters::export_started(const event& e) {
    state_.exports_running.add(1);
    waited(e);
}

event_counters::export_series& event_counters::series_of(const event& e) {
    const auto own = exports_.find(text_of(e, "export"));
    return own == exports_.end() ? exports_.find(other)->second : own->second;
}

// The event has what was sent in all; a counter takes what is new.
void event_counters::count_sent(export_series& series, const event& e, counted before) {
    series.rows->Increment(number_of(e, "rows").value_or(0) - before.rows);
    series.bytes->Increment(number_of(e, "bytes").value_or(0) - before.bytes);
}

void event_counters::export_progress(const event& e) {
    const std::lock_guard lock{progress_mutex_};
    auto& so_far = progress_[std::string{text_of(e, "export_id")}];
    count_sent(series_of(e), e, so_far);
    so_far = {number_of(e, "rows").value_or(0), number_of(e, "bytes").value_or(0)};
}

void event_counters::export_finished(const event& e) {
    state_.exports_running.add(-1);
    counted before;
    {
        const std::lock_guard lock{progress_mutex_};
        const auto so_far = progress_.find(text_of(e, "export_id"));
        if (so_far != progress_.end()) {
            before = so_far->second;
            progress_.erase(so_far);
        }
    }
    const auto code = text_of(e, "code");
    const bool begun = find(e, "first_byte_ms") != nullptr;
    if (!begun && holds(late_refusals, code)) return refused(code);
    auto& series = series_of(e);
    const auto end = series.endings.find(text_of(e, "outcome"));
    if (end != series.endings.end()) {
        end->second.count->Increment();
        observe_ms(*end->second.duration, e, "duration_ms");
    }
    count_sent(series, e, before);
    series.fallbacks->Increment(number_of(e, "fallbacks").value_or(0));
    observe_ms(*series.first_byte, e, "first_byte_ms");
}

void event_counters::refused(std::string_view code) {
    const auto reason = holds(invalid, code) ? std::string_view{"invalid"} : code;
    const auto known = refused_.find(reason);
    (known != refused_.end() ? known : refused_.find(other))->second->Increment();
}

void event_counters::waited(const event& e) {
    observe_ms(*queue_wait_, e, "queue_wait_ms");
}

void event_counters::request_answered(const event& e) {
    const auto known = routes_.find(text_of(e, "route"));
    const std::string_view route = known == routes_.end() ? other : std::string_view{*known};
    const double given = number_of(e, "status").value_or(0);
    const int status = given >= 100 && given < 600 ? static_cast<int>(given) : 0;
    const std::lock_guard lock{answers_mutex_};
    auto& count = answers_[{route, status}];
    if (count == nullptr) {
        count = &requests_->Add(
            {{"route", std::string{route}},
             {"status", status == 0 ? std::string{other} : std::to_string(status)}});
    }
    count->Increment();
}

void event_counters::task_finished(const event& e) {
    const auto end = tasks_.find(text_of(e, "outcome"));
    if (end != tasks_.end()) end->second->Increment();
    observe_ms(*task_wait_, e, "wait_ms");
    observe_ms(*task_run_, e, "run_ms");
}

void event_counters::download_finished(const event& e) {
    const auto end = downloads_.find(text_of(e, "outcome"));
    if (end != downloads_.end()) end->second->Increment();
    download_bytes_->Increment(number_of(e, "bytes").value_or(0));
}

}  // namespace exportd::observe
