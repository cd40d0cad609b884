#include <exportd/jobs/janitor.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <memory>

namespace exportd::jobs {
namespace asio = boost::asio;
using observe::event;
using observe::level;
using clock = std::chrono::steady_clock;

namespace {

// Who takes turns on the shared threads with those who ask over HTTP.
const std::string own_turns = "the janitor";

}  // namespace

janitor::janitor(asio::any_io_executor loop, control& table, file_store& files,
                 work::worker_pool& files_threads, janitor_options options, observe::observer& told,
                 observe::gauges& state)
    : table_{table},
      files_{files},
      threads_{files_threads},
      options_{options},
      told_{told},
      state_{state},
      loop_{loop},
      next_{loop} {
}

void janitor::start() {
    asio::co_spawn(loop_, look_after(), asio::detached);
}

void janitor::stop() {
    stopping_ = true;
    next_.cancel();
}

void janitor::wake() {
    next_.cancel();
}

asio::awaitable<void> janitor::look_after() {
    while (!stopping_) {
        co_await look_at_store();
        // Without the table nothing more can be done; the runner tells about that.
        try {
            co_await count();
            co_await expire();
            if (clock::now() >= next_sweep_) co_await sweep();
        } catch (const std::exception&) {
        }
        if (stopping_) co_return;
        next_.expires_after(options_.every);
        co_await next_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

asio::awaitable<void> janitor::look_at_store() {
    std::string cause;
    try {
        auto look = [this](const std::stop_token&) { return files_.fault(); };
        const auto fault = co_await threads_.run(work::lane::lasting, own_turns, std::move(look));
        cause = fault.value_or("");
    } catch (const std::exception& e) {
        cause = e.what();
    }
    if (stopping_ || usable_ == cause.empty()) co_return;
    usable_ = cause.empty();
    state_.file_store_lost.set(usable_ ? 0 : 1);
    tell(usable_ ? "file_store_available" : "file_store_unavailable", {}, cause);
}

asio::awaitable<void> janitor::count() {
    const auto ask = [](job_store& s) { return s.counts(); };
    const auto now = co_await table_.ask_for_service(own_turns, ask);
    state_.jobs_queued.set(static_cast<std::int64_t>(now.queued));
    state_.letters_waiting.set(static_cast<std::int64_t>(now.letters));
}

asio::awaitable<void> janitor::expire() {
    bool more = true;
    while (more && !stopping_)
        more = co_await expire_one();
    const auto forget = [keep = options_.keep_job](job_store& s) { return s.forget_jobs(keep); };
    co_await table_.ask_for_service(own_turns, forget);
}

asio::awaitable<bool> janitor::expire_one() {
    const auto ask = [](job_store& s) { return s.due_expiry(); };
    const auto due = co_await table_.ask_for_service(own_turns, ask);
    if (!due) co_return false;
    std::string cause;
    try {
        auto remove = [this, key = *due->file](const std::stop_token&) { files_.remove(key); };
        co_await threads_.run(work::lane::lasting, own_turns, std::move(remove));
    } catch (const std::exception& e) {
        cause = e.what();
    }
    if (cause.empty()) {
        const auto forget = [gone = *due](job_store& s) { s.forget_file(gone); };
        co_await table_.ask_for_service(own_turns, forget);
    }
    tell(cause.empty() ? "job_expired" : "job_file_not_removed", due->id, cause);
    co_return true;
}

// The table is asked from the thread that sweeps: a file of which nobody knows is looked at there.
asio::awaitable<void> janitor::sweep() {
    next_sweep_ = clock::now() + options_.sweep_every;
    std::string cause;
    std::size_t removed = 0;
    try {
        auto list = [this](const std::stop_token&) {
            auto old = std::make_shared<std::vector<std::string>>();
            files_.sweep(options_.sweep_age, [old](const std::string& key) {
                old->push_back(key);
                return true;
            });
            return old;
        };
        const auto old = co_await threads_.run(work::lane::lasting, own_turns, std::move(list));
        for (const auto& key : *old) {
            const auto known = [key](job_store& s) { return s.is_file(key); };
            if (co_await table_.ask_for_service(own_turns, known)) continue;
            auto remove = [this, key](const std::stop_token&) { files_.remove(key); };
            co_await threads_.run(work::lane::lasting, own_turns, std::move(remove));
            ++removed;
        }
    } catch (const std::exception& e) {
        cause = e.what();
    }
    if (removed != 0) {
        told_.observe(event{level::info, "job_files_swept"}.with("files", removed));
    }
    if (!cause.empty()) tell("job_sweep_failed", {}, cause);
}

void janitor::tell(std::string_view name, std::string_view job, const std::string& cause) const {
    event e{cause.empty() ? level::info : level::warning, name};
    if (!job.empty()) e.with("job", job);
    if (!cause.empty()) e.with("cause", cause);
    told_.observe(e);
}

}  // namespace exportd::jobs
