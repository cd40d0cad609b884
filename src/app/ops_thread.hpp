#pragma once

#include <exportd/http/lifecycle.hpp>
#include <exportd/http/probe_endpoints.hpp>
#include <exportd/http/router.hpp>
#include <exportd/http/server.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/loop_monitor.hpp>
#include <exportd/observe/readiness.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <thread>

namespace exportd::app {

// The probes' own listener, on a loop and a thread of its own, so that they answer whatever the
// service's loop and its listener suffer.
class ops_thread {
public:
    // Binds and serves from now on. Throws boost::system::system_error when the address can't be
    // had. The references outlive it.
    ops_thread(boost::asio::ip::tcp::endpoint listen, std::chrono::milliseconds stall_limit,
               const observe::loop_monitor& monitor, const observe::readiness& readiness,
               observe::observer& observer);

    // Stops serving and joins the thread. What is being answered is cut.
    ~ops_thread();
    ops_thread(const ops_thread&) = delete;
    ops_thread& operator=(const ops_thread&) = delete;

private:
    boost::asio::io_context loop_{1};
    http::lifecycle life_;
    http::alive_endpoint alive_;
    http::ready_endpoint ready_;
    http::router routes_;
    http::server server_;
    std::thread thread_;
};

}  // namespace exportd::app
