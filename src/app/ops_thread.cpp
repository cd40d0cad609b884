#include "ops_thread.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

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

}  // namespace

ops_thread::ops_thread(asio::ip::tcp::endpoint listen, std::chrono::milliseconds stall_limit,
                       const observe::loop_monitor& monitor, const observe::readiness& readiness,
                       observe::observer& observer)
    : alive_{[&monitor] { return monitor.last_turn(); }, stall_limit},
      ready_{readiness},
      server_{loop_, options_for(listen), routes_, life_, observer} {
    routes_.add("GET", {"healthz"}, alive_);
    routes_.add("GET", {"readyz"}, ready_);
    server_.bind();
    server_.start();
    // Signals are the service's loop's.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread{[this] { loop_.run(); }};
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ops_thread::~ops_thread() {
    asio::co_spawn(loop_, server_.drain({}, {}), asio::detached);
    thread_.join();
}

}  // namespace exportd::app
