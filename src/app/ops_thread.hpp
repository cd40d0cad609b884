#pragma once

#include <exportd/app/config.hpp>
#include <exportd/http/lifecycle.hpp>
#include <exportd/http/metrics_endpoint.hpp>
#include <exportd/http/probe_endpoints.hpp>
#include <exportd/http/router.hpp>
#include <exportd/http/server.hpp>
#include <exportd/observe/cgroup_watch.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/loop_monitor.hpp>
#include <exportd/observe/loop_watchdog.hpp>
#include <exportd/observe/metrics.hpp>
#include <exportd/observe/readiness.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <thread>

namespace exportd::app {

// The listener of probes and metrics and the watchdog, on a loop and a thread of their own, so that
// they answer and see whatever the service's loop and its listener suffer.
class ops_thread {
public:
    // Binds and serves from now on. Throws boost::system::system_error when the address can't be
    // had. Made and destroyed on the thread of the monitor's loop. The references outlive it; the
    // metrics are read and the control group is looked at on the thread of this. `sources` are all
    // but the watchdog's stalls.
    ops_thread(const config& c, const observe::loop_monitor& monitor, observe::readiness& readiness,
               observe::metrics& metrics, observe::metric_sources sources,
               observe::cgroup_watch& limits, observe::observer& observer);

    // Stops serving and joins the thread. What is being answered is cut.
    ~ops_thread();
    ops_thread(const ops_thread&) = delete;
    ops_thread& operator=(const ops_thread&) = delete;

private:
    boost::asio::awaitable<void> watch_limits();

    boost::asio::io_context loop_{1};
    boost::asio::steady_timer next_look_{loop_};
    observe::cgroup_watch& limits_;
    http::lifecycle life_;
    http::alive_endpoint alive_;
    http::ready_endpoint ready_;
    http::metrics_endpoint metrics_;
    http::router routes_;
    observe::turn_meter turns_;  // of a loop that nobody measures
    http::server server_;
    observe::loop_watchdog watchdog_;
    std::thread thread_;
};

}  // namespace exportd::app
