#include <exportd/pg/connect.hpp>
#include <exportd/pg/deadline_watch.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/result.hpp>

#include <libpq-fe.h>
#include <string>
#include <utility>
#include <vector>

namespace exportd::pg {

namespace asio = boost::asio;
using boost::system::error_code;
using boost::system::system_error;
using clock = std::chrono::steady_clock;

namespace {

struct finisher {
    void operator()(PGconn* c) const noexcept { PQfinish(c); }
};
using pg_handle = std::unique_ptr<PGconn, finisher>;

std::string message_of(PGconn* c) {
    std::string text = PQerrorMessage(c);
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

// libpq owns the number and may have replaced the socket behind it since the last call, so
// the descriptor is ours for one wait only.
asio::awaitable<void> wait_once(int number, bool for_reading, clock::time_point deadline) {
    asio::posix::stream_descriptor socket{co_await asio::this_coro::executor, number};
    struct releaser {
        asio::posix::stream_descriptor& s;
        ~releaser() { s.release(); }
    } const keep_open{socket};
    deadline_watch watch{socket.get_executor(), [&socket] { socket.cancel(); }};
    error_code ec;
    watch.begin(deadline);
    co_await socket.async_wait(for_reading ? asio::posix::stream_descriptor::wait_read
                                           : asio::posix::stream_descriptor::wait_write,
                               asio::redirect_error(asio::use_awaitable, ec));
    if (watch.end()) throw server_error{errc::database_unavailable, {}, "no connection in time"};
    if (ec) throw system_error{ec};
}

pg_handle start(const std::vector<conninfo::parameter>& parameters) {
    std::vector<const char*> keywords;
    std::vector<const char*> values;
    for (const auto& [keyword, value] : parameters) {
        keywords.push_back(keyword.c_str());
        values.push_back(value.c_str());
    }
    keywords.push_back(nullptr);
    values.push_back(nullptr);
    pg_handle conn{PQconnectStartParams(keywords.data(), values.data(), 0)};
    if (!conn) throw std::bad_alloc{};
    return conn;
}

asio::awaitable<std::unique_ptr<connection>> connect_one(
    std::vector<conninfo::parameter> parameters, clock::time_point deadline, observer* events) {
    auto conn = start(parameters);
    // Whatever the server says while it connects is in the result; nothing goes to stderr.
    PQsetNoticeReceiver(
        conn.get(), [](void*, const PGresult*) {}, nullptr);
    auto next =
        PQstatus(conn.get()) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
        co_await wait_once(PQsocket(conn.get()), next == PGRES_POLLING_READING, deadline);
        next = PQconnectPoll(conn.get());
    }
    if (next != PGRES_POLLING_OK) {
        throw server_error{errc::database_unavailable, {}, message_of(conn.get())};
    }
    if (PQsetnonblocking(conn.get(), 1) != 0 || PQenterPipelineMode(conn.get()) != 1) {
        throw server_error{errc::database_unavailable, {}, message_of(conn.get())};
    }
    auto executor = co_await asio::this_coro::executor;
    auto established = std::make_unique<connection>(executor, conn.get(), *events);
    conn.release();
    co_return established;
}

using found_addresses = boost::system::result<std::vector<std::string>>;

// Does not throw when the name is unknown: of two operations that race, one that fails is not
// the first to succeed.
asio::awaitable<found_addresses> try_resolve(resolver* names, std::string host) {
    error_code failure;
    try {
        auto found = co_await names->resolve(std::move(host));
        co_return found_addresses{std::move(found)};
    } catch (const system_error& e) {
        failure = e.code();
    }
    co_return found_addresses{failure};
}

asio::awaitable<std::vector<std::string>> resolve_until(resolver* names, std::string host,
                                                        clock::time_point deadline) {
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer timer{co_await asio::this_coro::executor, deadline};
    auto found =
        co_await (try_resolve(names, std::move(host)) || timer.async_wait(asio::use_awaitable));
    if (found.index() == 1) {
        throw server_error{errc::database_unavailable, {}, "the name was not resolved in time"};
    }
    auto& addresses = std::get<0>(found);
    if (!addresses) throw system_error{addresses.error()};
    co_return std::move(*addresses);
}

// The server once for each of its addresses; as it is when there is nothing to resolve.
asio::awaitable<std::vector<server_address>> addresses_of(server_address server, resolver* names,
                                                          clock::time_point deadline) {
    std::vector<server_address> all;
    if (!server.needs_resolving()) {
        all.push_back(std::move(server));
        co_return all;
    }
    const auto found = co_await resolve_until(names, server.host, deadline);
    for (const auto& address : found)
        all.push_back({server.host, address, server.port});
    co_return all;
}

// How many times the timeout of a connection a name may take: a resolver tries several servers
// for seconds each, and that is not the database being slow.
constexpr int lookup_patience = 6;

bool was_cancelled(const system_error& e) {
    return e.code() == asio::error::operation_aborted;
}

}  // namespace

asio::awaitable<std::unique_ptr<connection>> connect(const conninfo& info, resolver& names,
                                                     std::chrono::milliseconds timeout,
                                                     observer& events) {
    std::string reasons;
    const auto failed = [&reasons](const system_error& e) {
        if (was_cancelled(e)) throw e;
        reasons += (reasons.empty() ? "" : "; ") + std::string{e.what()};
    };
    for (const auto& pass : info.passes()) {
        for (const auto& server : info.servers()) {
            std::vector<server_address> addresses;
            try {
                addresses =
                    co_await addresses_of(server, &names, clock::now() + lookup_patience * timeout);
            } catch (const system_error& e) {
                failed(e);
            }
            for (const auto& address : addresses) {
                try {
                    co_return co_await connect_one(info.parameters(address, pass),
                                                   clock::now() + timeout, &events);
                } catch (const system_error& e) {
                    failed(e);
                }
            }
        }
    }
    throw server_error{errc::database_unavailable, {}, std::move(reasons)};
}

}  // namespace exportd::pg
