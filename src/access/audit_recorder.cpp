#include <exportd/access/audit_recorder.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <condition_variable>
#include <mutex>

namespace exportd::access {
namespace asio = boost::asio;

namespace {

// Waits, but not past a requested stop.
void pause(std::chrono::milliseconds time, std::stop_token stop) {
    std::mutex m;
    std::condition_variable_any asked;
    std::unique_lock lock{m};
    asked.wait_for(lock, std::move(stop), time, [] { return false; });
}

}  // namespace

struct audit_recorder::channel {
    channel(std::unique_ptr<audit_sink> s, std::size_t queue)
        : sink{std::move(s)}, thread{work::one_thread(queue)} {}

    std::unique_ptr<audit_sink> sink;
    work::worker_pool thread;  // last: it ends before what it uses
};

// One begin() and how many sinks it still waits for.
struct audit_recorder::waiting {
    waiting(const asio::any_io_executor& loop, std::size_t sinks) : left{sinks}, over{loop} {}

    std::size_t left;
    bool failed = false;
    asio::steady_timer over;
};

audit_recorder::audit_recorder(asio::any_io_executor loop,
                               std::vector<std::unique_ptr<audit_sink>> sinks,
                               recorder_options options, observe::observer& told)
    : loop_{loop}, options_{options}, told_{told}, drained_{loop} {
    for (auto& sink : sinks)
        channels_.emplace_back(std::move(sink), options_.queue);
}

audit_recorder::~audit_recorder() {
    close();
}

// The threads are joined: none may still wait for a reader that never comes.
void audit_recorder::close() noexcept {
    for (auto& to : channels_) {
        to.thread.close();
        to.sink->hurry();
    }
}

void audit_recorder::write_on_thread(channel& to, const audit_record& r,
                                     std::stop_token stop) const {
    for (int tries = options_.tries;; --tries) {
        try {
            to.sink->write(r);
            return;
        } catch (const sink_unavailable&) {
            if (tries <= 1 || stop.stop_requested()) throw;
        }
        pause(options_.between_tries, stop);
    }
}

asio::awaitable<void> audit_recorder::write(channel& to, std::shared_ptr<const audit_record> r,
                                            std::shared_ptr<waiting> who) {
    auto task = [this, &to, r](std::stop_token stop) { write_on_thread(to, *r, std::move(stop)); };
    bool written = false;
    std::string cause;
    try {
        co_await to.thread.run(work::lane::brief, {}, std::move(task));
        written = true;
    } catch (const std::exception& e) {
        cause = e.what();
    }
    if (!written) {
        told_.observe(observe::event{observe::level::error, "audit_lost"}
                          .with("sink", to.sink->name())
                          .with("attempt", r->attempt)
                          .with("action", r->action)
                          .with("cause", cause));
    }
    if (who != nullptr) {
        who->failed = who->failed || !written;
        if (--who->left == 0 || who->failed) who->over.cancel();
    }
    if (--pending_ == 0) drained_.cancel();
}

void audit_recorder::keep(audit_record r, const std::shared_ptr<waiting>& who) {
    const auto kept = std::make_shared<const audit_record>(std::move(r));
    for (auto& to : channels_) {
        ++pending_;
        asio::co_spawn(loop_, write(to, kept, who), asio::detached);
    }
}

void audit_recorder::note(audit_record r) {
    keep(std::move(r), nullptr);
}

asio::awaitable<bool> audit_recorder::begin(audit_record r) {
    if (!options_.required) {
        keep(std::move(r), nullptr);
        co_return true;
    }
    const auto who = std::make_shared<waiting>(loop_, channels_.size());
    who->over.expires_after(options_.patience);
    auto unheard = r;
    keep(std::move(r), who);
    const auto [ec] = co_await who->over.async_wait(asio::as_tuple(asio::use_awaitable));
    const bool recorded = ec && who->left == 0 && !who->failed;
    if (!recorded && (!ec || who->failed)) {
        // It may still be written: then it has this end.
        unheard.what = audit_record::phase::end;
        unheard.outcome = "failed";
        unheard.code = "audit_unavailable";
        note(std::move(unheard));
    }
    co_return recorded;
}

asio::awaitable<void> audit_recorder::drain() {
    drained_.expires_after(options_.patience);
    if (pending_ > 0) co_await drained_.async_wait(asio::as_tuple(asio::use_awaitable));
    close();
}

}  // namespace exportd::access
