#include <exportd/jobs/job_runner.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace exportd::jobs {
namespace asio = boost::asio;
using observe::event;
using observe::level;
using clock = std::chrono::steady_clock;

namespace {

// Who takes turns on the control thread with those who ask over HTTP.
const std::string own_turns = "the runner";

// A lease is renewed so often that two renewals may fail.
constexpr int renewals_a_lease = 4;

// And so often that its owner sees it move, and that it ends soon once that is wanted.
constexpr std::chrono::milliseconds longest_silence{2'000};

constexpr std::chrono::seconds between_tries{1};

}  // namespace

// One job that this process works on.
struct job_runner::running {
    running(asio::any_io_executor loop, claimed_job j)
        : claim{std::move(j)},
          key{fmt::format("{}.{}.csv", claim.job.id, claim.fence)},
          next_renewal{loop},
          lease_watch{loop} {}

    claimed_job claim;
    std::string key;
    task_progress progress;
    std::stop_source stop;
    clock::time_point lease_end;
    clock::time_point began = clock::now();
    asio::steady_timer next_renewal;
    asio::steady_timer lease_watch;
    const std::string attempt = to_string(boost::uuids::random_generator_pure{}());  // in the audit
    bool recorded = false;   // there, its start is
    bool ended = false;      // the task has
    bool cancelled = false;  // somebody asked for the end
    bool lost = false;       // the lease is another's, or may be
};

job_runner::job_runner(asio::any_io_executor loop, control& table, work::worker_pool& workers,
                       task_services services, runner_options options, access::audit& audit,
                       observe::observer& told, observe::gauges& state)
    : loop_{loop},
      table_{table},
      workers_{workers},
      services_{std::move(services)},
      options_{std::move(options)},
      audit_{audit},
      told_{told},
      state_{state},
      look_{loop},
      drained_{loop} {
    for (const auto& [name, entry] : services_.catalog.all())
        exports_.push_back(name);
}

job_runner::~job_runner() = default;

void job_runner::start() {
    asio::co_spawn(loop_, take_jobs(), asio::detached);
}

void job_runner::wake() {
    wanted_ = true;
    look_.cancel();
}

void job_runner::publish() const {
    state_.jobs_running.set(static_cast<std::int64_t>(running_.size()));
}

asio::awaitable<void> job_runner::take_jobs() {
    while (!closing_) {
        wanted_ = false;
        bool took = false;
        if (running_.size() < workers_.lane_width() && options_.ready()) took = co_await take_one();
        if (closing_ || took || wanted_) continue;
        // Replicas that started together need not ask together.
        // A table that is not there, or not answering, is asked less often.
        constexpr int less_often = 5;
        const auto poll = failing_ ? less_often * options_.poll : options_.poll;
        look_.expires_after(poll + poll / 8 * (clock::now().time_since_epoch().count() % 4));
        co_await look_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

// Returns whether there was a job.
asio::awaitable<bool> job_runner::take_one() {
    const auto asked_at = clock::now();
    std::optional<claimed_job> got;
    std::string cause;
    try {
        const auto claim = [this](job_store& s) {
            return s.claim(options_.lease, options_.most_attempts, exports_);
        };
        got = co_await table_.ask_for_service(own_turns, claim);
    } catch (const std::exception& e) {
        cause = e.what();
    }
    if (!closing_ && failing_ == cause.empty()) {
        failing_ = !cause.empty();
        state_.job_table_lost.set(failing_ ? 1 : 0);
        told_.observe(event{failing_ ? level::warning : level::info,
                            failing_ ? "job_table_unavailable" : "job_table_available"}
                          .with("cause", cause));
    }
    if (!got) co_return false;
    auto r = std::make_shared<running>(loop_, std::move(*got));
    r->lease_end = asked_at + options_.lease;
    running_.push_back(r);
    publish();
    asio::co_spawn(loop_, run(r), asio::detached);
    asio::co_spawn(loop_, keep_lease(r), asio::detached);
    asio::co_spawn(loop_, watch_lease(r), asio::detached);
    co_return true;
}

asio::awaitable<void> job_runner::run(std::shared_ptr<running> r) {
    tell_start(*r);
    if (closing_) r->stop.request_stop();
    auto end = co_await work_on(r);
    co_await settle(r, std::move(end));
    r->ended = true;
    r->next_renewal.cancel();
    r->lease_watch.cancel();
    running_.remove(r);
    publish();
    wake();
    if (running_.empty()) drained_.cancel();
}

asio::awaitable<task_end> job_runner::work_on(std::shared_ptr<running> r) {
    task_end end;
    if (!options_.permitted(r->claim.job.asked)) {
        end.code = "not_permitted";
        co_return end;
    }
    auto start = record_of(*r);
    r->recorded = co_await audit_.begin(std::move(start));
    if (!r->recorded) {
        end.what = task_end::kind::temporary;
        end.code = "audit_unavailable";
        co_return end;
    }
    auto work = [this, r](const std::stop_token& closing) {
        const std::stop_callback pass_on{closing, [r] { r->stop.request_stop(); }};
        return run_export_task(services_, r->claim.job, r->key, r->progress, r->stop.get_token());
    };
    try {
        end = co_await workers_.run(work::lane::lasting, r->claim.job.asked.caller, work);
    } catch (const std::exception& e) {
        // The pool is closing or full: the job was not begun.
        end.what = task_end::kind::stopped;
        end.cause = e.what();
    }
    co_return end;
}

asio::awaitable<void> job_runner::keep_lease(std::shared_ptr<running> r) {
    bool fine = true;
    while (!r->ended && !r->lost) {
        const auto pause = std::min<std::chrono::milliseconds>(
            options_.lease / renewals_a_lease, fine ? longest_silence : between_tries);
        r->next_renewal.expires_after(pause);
        co_await r->next_renewal.async_wait(asio::as_tuple(asio::use_awaitable));
        if (r->ended) co_return;
        fine = co_await renew(*r);
        if (r->lost || r->cancelled) r->stop.request_stop();
    }
}

// Whatever the table says, or whether it says anything: past its lease the job may be another's.
asio::awaitable<void> job_runner::watch_lease(std::shared_ptr<running> r) {
    while (!r->ended && !r->lost && clock::now() < r->lease_end) {
        r->lease_watch.expires_at(r->lease_end);
        co_await r->lease_watch.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    if (r->ended) co_return;
    r->lost = true;
    r->stop.request_stop();
}

// Returns whether the table could be asked.
asio::awaitable<bool> job_runner::renew(running& r) {
    const auto asked_at = clock::now();
    const auto ask = [claim = r.claim, lease = options_.lease, rows = r.progress.rows.load(),
                      bytes = r.progress.bytes.load(), expected = r.progress.expected()](
                         job_store& s) { return s.renew(claim, lease, rows, bytes, expected); };
    try {
        const auto state = co_await table_.ask_for_service(own_turns, ask);
        if (state != lease_state::lost) r.lease_end = asked_at + options_.lease;
        // Once its task has ended, the job is no longer running by its own record.
        if (state == lease_state::lost && !r.ended) r.lost = true;
        if (state == lease_state::cancel) r.cancelled = true;
        co_return true;
    } catch (const std::exception&) {
        co_return false;
    }
}

asio::awaitable<void> job_runner::settle(std::shared_ptr<running> r, task_end end) {
    using kind = task_end::kind;
    std::string outcome = "lost";
    const auto record = [this, r, end](job_store& s) -> std::string {
        const auto& claim = r->claim;
        if (end.what == kind::done) {
            const job_store::finished_file file{r->key, end.sha256, end.rows, end.bytes,
                                                options_.keep_file};
            // An earlier try to record it may have arrived although its answer did not.
            return s.complete(claim, file) || s.is_file(r->key) ? "complete" : "lost";
        }
        if (r->cancelled) return s.cancelled(claim) ? "cancelled" : "lost";
        if (end.what == kind::stopped)
            return s.put_back(claim, std::chrono::milliseconds{0}, false) ? "put_back" : "lost";
        if (end.what == kind::temporary && claim.job.attempt < options_.most_attempts) {
            const auto pause = options_.retry * (1 << std::min(claim.job.attempt - 1, 10));
            return s.put_back(claim, pause, true) ? "retry" : "lost";
        }
        return s.fail(claim, end.code) ? "failed" : "lost";
    };
    bool recorded = r->lost && end.what != kind::done;
    while (!recorded) {
        try {
            outcome = co_await table_.ask_for_service(own_turns, record);
            recorded = true;
        } catch (const std::exception& e) {
            end.cause = e.what();
        }
        // After that another process may work on it, and its record is refused anyway.
        if (recorded || clock::now() >= r->lease_end + options_.lease || closing_) break;
        asio::steady_timer pause{loop_, between_tries};
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    if (recorded && end.what == kind::done && outcome == "lost") co_await remove_orphan(r);
    tell_end(*r, end, outcome);
}

// What a file was published for is another's by now. If removing fails, a sweep does it later.
asio::awaitable<void> job_runner::remove_orphan(std::shared_ptr<running> r) {
    auto remove = [this, r](const std::stop_token&) { services_.files.remove(r->key); };
    try {
        co_await workers_.run(work::lane::lasting, own_turns, std::move(remove));
    } catch (const std::exception&) {
    }
}

asio::awaitable<void> job_runner::drain(std::chrono::milliseconds most) {
    closing_ = true;
    look_.cancel();
    for (const auto& r : running_)
        r->stop.request_stop();
    drained_.expires_after(most);
    if (!running_.empty()) co_await drained_.async_wait(asio::as_tuple(asio::use_awaitable));
}

access::audit_record job_runner::record_of(const running& r) const {
    const auto& asked = r.claim.job.asked;
    access::audit_record record;
    record.attempt = r.attempt;
    record.action = "job_run";
    record.who = asked.owner;
    record.export_name = asked.export_name;
    record.subject = r.claim.job.id;
    record.range_from = asked.range.from;
    record.range_to = asked.range.to;
    record.options = asked.values == exports::values::raw ? "raw" : "formatted";
    if (asked.excel) record.options += " excel";
    return record;
}

std::string_view job_runner::outcome_of(const running& r, std::string_view outcome) {
    if (outcome == "complete") return "complete";
    if (!r.recorded) return "refused";
    return r.cancelled || outcome == "lost" || outcome == "put_back" ? "aborted" : "failed";
}

void job_runner::note_end(const running& r, const task_end& end, std::string_view outcome,
                          std::chrono::milliseconds took) {
    auto record = record_of(r);
    record.what =
        r.recorded ? access::audit_record::phase::end : access::audit_record::phase::refused;
    const bool complete = outcome == "complete";
    if (complete) options_.completed(r.claim.job.asked, end.rows);
    record.outcome = outcome_of(r, outcome);
    if (!complete) record.code = end.code.empty() ? std::string{outcome} : end.code;
    record.rows = std::max<std::uint64_t>(end.rows, r.progress.rows);
    record.bytes = std::max<std::uint64_t>(end.bytes, r.progress.bytes);
    record.duration = took;
    audit_.note(std::move(record));
}

void job_runner::tell_start(const running& r) const {
    const auto& j = r.claim.job;
    told_.observe(event{level::info, "job_started"}
                      .with("job", j.id)
                      .with("export", j.asked.export_name)
                      .with("attempt", j.attempt)
                      .with("from", exports::to_rfc3339(j.asked.range.from))
                      .with("to", exports::to_rfc3339(j.asked.range.to)));
}

void job_runner::tell_end(const running& r, const task_end& end, std::string_view outcome) {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - r.began);
    note_end(r, end, outcome, took);
    event e{outcome == "failed" || outcome == "lost" || outcome == "retry" ? level::warning
                                                                           : level::info,
            "job_finished"};
    e.with("job", r.claim.job.id)
        .with("export", r.claim.job.asked.export_name)
        .with("outcome", outcome)
        .with("attempt", r.claim.job.attempt)
        .with("rows", std::max<std::uint64_t>(end.rows, r.progress.rows))
        .with("bytes", std::max<std::uint64_t>(end.bytes, r.progress.bytes))
        .with("duration_ms", took.count());
    if (end.fallbacks != 0) e.with("fallbacks", end.fallbacks);
    if (!end.code.empty() && outcome != "complete") e.with("code", end.code);
    if (!end.cause.empty()) e.with("cause", end.cause);
    told_.observe(e);
}

}  // namespace exportd::jobs
