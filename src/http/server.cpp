#include <exportd/http/problem.hpp>
#include <exportd/http/server.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "session.hpp"
#include <list>
#include <string>

namespace exportd::http {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr std::chrono::milliseconds accept_pause{50};
constexpr std::chrono::milliseconds drain_look{20};

// What a cut export gets to unwind by itself.
constexpr std::chrono::seconds cut_time{1};

// What a connection over the limit is told. The same for all, as nothing of theirs is read.
std::string crowded_answer() {
    problem p = problem_of(errc::pool_exhausted);
    p.detail = "There are too many connections; try again soon.";
    const auto answer = to_response(p, "");
    return fmt::format(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: {}\r\nCache-Control: private, "
        "no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nRetry-After: {}\r\nConnection: close\r\n"
        "Content-Length: {}\r\n\r\n{}",
        answer.content_type, p.retry_after->count(), answer.body.size(), answer.body);
}

}  // namespace

struct server::state {
    state(asio::io_context& l, server_options o, const router& r, lifecycle& s,
          observe::observer& w, observe::turn_meter& t)
        : loop{l},
          options{std::move(o)},
          routes{r},
          life{s},
          observer{w},
          turns{t},
          acceptor{l},
          stopping{l} {}

    asio::io_context& loop;
    server_options options;
    const router& routes;
    lifecycle& life;
    observe::observer& observer;
    observe::turn_meter& turns;
    tcp::acceptor acceptor;
    asio::steady_timer stopping;
    std::list<session*> sessions;
    bool accepting = false;
    const std::string crowded = crowded_answer();

    asio::awaitable<void> accept_all();
    asio::awaitable<void> run_session(tcp::socket socket);
    void admit(tcp::socket socket);
    void count_connections() noexcept;
    void note(observe::level severity, std::string_view name, const std::string& cause);
};

void server::state::note(observe::level severity, std::string_view name, const std::string& cause) {
    observer.observe(observe::event{severity, name}.with("cause", cause));
}

asio::awaitable<void> server::state::accept_all() {
    accepting = true;
    while (acceptor.is_open()) {
        auto [ec, socket] = co_await acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
        if (!ec) {
            admit(std::move(socket));
            continue;
        }
        if (!acceptor.is_open()) break;
        // Without descriptors the connection stays in the queue, and a retry at once would spin.
        note(observe::level::error, "accept_failed", ec.message());
        asio::steady_timer pause{loop, accept_pause};
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    accepting = false;
}

void server::state::admit(tcp::socket socket) {
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay{true}, ignored);
    if (sessions.size() >= options.max_connections) {
        // What fits into a fresh send buffer is sent at once or not at all.
        socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(crowded), ignored);
        socket.shutdown(tcp::socket::shutdown_send, ignored);
        note(observe::level::warning, "connection_refused", "max_connections");
        return;
    }
    if (options.send_buffer != 0) {
        socket.set_option(
            asio::socket_base::send_buffer_size{static_cast<int>(options.send_buffer)}, ignored);
    }
    asio::co_spawn(loop, run_session(std::move(socket)), asio::detached);
}

void server::state::count_connections() noexcept {
    if (options.connections == nullptr) return;
    options.connections->set(static_cast<std::int64_t>(sessions.size()));
}

asio::awaitable<void> server::state::run_session(tcp::socket socket) {
    const read_limits limits{options.max_header_bytes, options.header_timeout,
                             options.keepalive_timeout};
    session s{std::move(socket), routes, options.before, life,
              observer,          turns,  limits,         options.write_timeout};
    const auto here = sessions.insert(sessions.end(), &s);
    count_connections();
    try {
        co_await s.run();
    } catch (const std::exception& e) {
        note(observe::level::debug, "session_failed", e.what());
    }
    sessions.erase(here);
    count_connections();
}

server::server(asio::io_context& loop, server_options options, const router& routes,
               lifecycle& life, observe::observer& observer, observe::turn_meter& turns)
    : state_{std::make_unique<state>(loop, std::move(options), routes, life, observer, turns)} {
}

server::~server() = default;

void server::bind() {
    auto& acceptor = state_->acceptor;
    const auto& endpoint = state_->options.listen;
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address{true});
    acceptor.bind(endpoint);
}

void server::start() {
    state_->acceptor.listen(tcp::acceptor::max_listen_connections);
    asio::co_spawn(state_->loop, state_->accept_all(), asio::detached);
}

tcp::endpoint server::local_endpoint() const {
    return state_->acceptor.local_endpoint();
}

asio::awaitable<void> server::drain(std::chrono::milliseconds delay,
                                    std::chrono::milliseconds limit) {
    auto& s = *state_;
    s.life.drain();
    asio::steady_timer timer{s.loop, delay};
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    boost::system::error_code ignored;
    s.acceptor.close(ignored);
    const auto last = std::chrono::steady_clock::now() + limit;
    while (!s.sessions.empty() || s.accepting) {
        for (auto* open : s.sessions)
            open->close_if_idle();
        const auto now = std::chrono::steady_clock::now();
        if (now >= last) s.life.cut();
        if (now >= last + cut_time) {
            for (auto* open : s.sessions)
                open->close_now();
        }
        timer.expires_after(drain_look);
        co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

}  // namespace exportd::http
