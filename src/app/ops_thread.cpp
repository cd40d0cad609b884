#include "ops_thread.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <pthread.h>

namespace exportd::app {
namespace asio = boost::asio;

namespace {

http::server_options options_for(const asio::ip::tcp::endpoint& listen) {
    http::server_options o;
    o.listen = listen;
    o.max_connections = 256;
    o.header_timeout = std::chrono::seconds{5};
    o.keepalive_timeout = std::chrono::seconds{75};
    o.write_timeout = std::chrono::seconds{5};
    return o;
}

observe::loop_watchdog_options watch_options(const config& c, observe::metrics& metrics,
                                             observe::cgroup_watch& limits) {
    observe::loop_watchdog_options o;
    o.stall = c.loop.stall;
    o.log_every = c.loop.log_every;
    o.delay = {c.readiness.enter_delay, c.readiness.leave_delay, c.readiness.sustain};
    o.exports_running = [&metrics] { return metrics.state().exports_running.value(); };
    o.throttled = [&limits] { return limits.throttled(); };
    return o;
}

}  // namespace

ops_thread::ops_thread(const config& c, const observe::loop_monitor& monitor,
                       observe::readiness& readiness, observe::metrics& metrics,
                       observe::metric_sources sources, observe::cgroup_watch& limits,
                       observe::observer& observer)
    : limits_{limits},
      alive_{[&monitor] { return monitor.last_turn(); }, c.ops.stall_limit},
      ready_{readiness},
      metrics_{[&metrics](std::string_view accept) { return metrics.render(accept); }},
      server_{loop_, options_for(c.ops.listen), routes_, life_, observer, turns_},
      watchdog_{loop_.get_executor(),
                monitor,
                pthread_self(),
                readiness,
                observer,
                watch_options(c, metrics, limits)} {
    sources.stalls = [this] { return watchdog_.stalls(); };
    metrics.set_sources(std::move(sources));
    routes_.add("GET", {"healthz"}, alive_);
    routes_.add("GET", {"readyz"}, ready_);
    routes_.add("GET", {"metrics"}, metrics_);
    server_.bind();
    server_.start();
    asio::co_spawn(loop_, watch_limits(), asio::detached);
    watchdog_.start();
    // Signals are the service's loop's.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread{[this] { loop_.run(); }};
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Throttling shows in the difference to an earlier look only.
asio::awaitable<void> ops_thread::watch_limits() {
    constexpr std::chrono::seconds between{1};
    while (!life_.draining()) {
        limits_.usage();
        next_look_.expires_after(between);
        co_await next_look_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

ops_thread::~ops_thread() {
    asio::post(loop_, [this] {
        life_.drain();
        next_look_.cancel();
        watchdog_.stop();
    });
    asio::co_spawn(loop_, server_.drain({}, {}), asio::detached);
    thread_.join();
}

}  // namespace exportd::app
