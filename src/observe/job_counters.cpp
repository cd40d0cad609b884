#include "job_counters.hpp"

#include "event_fields.hpp"
#include <array>
#include <string>

namespace exportd::observe {

namespace {

using prometheus::BuildCounter;
using prometheus::BuildHistogram;

constexpr std::array<std::string_view, 6> job_outcomes{"complete", "failed",   "cancelled",
                                                       "retry",    "put_back", "lost"};
constexpr std::array<std::string_view, 3> letter_outcomes{"sent", "retry", "failed"};

}  // namespace

job_counters::job_counters(prometheus::Registry& registry) {
    auto& jobs = BuildCounter()
                     .Name("exportd_jobs_total")
                     .Help("Tries of background exports that this process ended, by outcome.")
                     .Register(registry);
    for (const auto outcome : job_outcomes)
        jobs_[outcome] = &jobs.Add({{"outcome", std::string{outcome}}});
    auto& letters = BuildCounter()
                        .Name("exportd_letters_total")
                        .Help("Letters that were handed to the mail server, by outcome.")
                        .Register(registry);
    for (const auto outcome : letter_outcomes)
        letters_[outcome] = &letters.Add({{"outcome", std::string{outcome}}});
    const auto counter = [&registry](const char* name, const char* help) {
        return &BuildCounter().Name(name).Help(help).Register(registry).Add({});
    };
    rows_ = counter("exportd_job_rows_total", "Rows written into files that are complete.");
    bytes_ = counter("exportd_job_bytes_total", "Bytes of files that are complete.");
    expired_ = counter("exportd_job_files_expired_total", "Files that were deleted at their time.");
    failures_ = counter("exportd_job_failures_total",
                        "Times that the job table or the file store could not be reached.");
    duration_ = &BuildHistogram()
                     .Name("exportd_job_duration_seconds")
                     .Help("Time from the begin of a background export's last try to its end.")
                     .Register(registry)
                     .Add({}, prometheus::Histogram::BucketBoundaries{
                                  0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 1800, 3600, 7200, 21600});
}

bool job_counters::count(const event& e) {
    const auto name = e.name();
    if (name == "job_finished") {
        job_finished(e);
    } else if (name == "letter_finished") {
        const auto end = letters_.find(text_of(e, "outcome"));
        if (end != letters_.end()) end->second->Increment();
    } else if (name == "job_expired") {
        expired_->Increment();
    } else if (name == "job_table_unavailable" || name == "job_file_not_removed" ||
               name == "job_desk_failed" || name == "file_store_unavailable" ||
               name == "job_sweep_failed") {
        failures_->Increment();
    } else {
        return false;
    }
    return true;
}

void job_counters::job_finished(const event& e) {
    const auto outcome = text_of(e, "outcome");
    const auto end = jobs_.find(outcome);
    if (end != jobs_.end()) end->second->Increment();
    if (outcome != "complete") return;
    observe_ms(*duration_, e, "duration_ms");
    rows_->Increment(number_of(e, "rows").value_or(0));
    bytes_->Increment(number_of(e, "bytes").value_or(0));
}

}  // namespace exportd::observe
