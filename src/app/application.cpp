#include <exportd/app/application.hpp>
#include <exportd/app/export_check.hpp>
#include <exportd/exports/admission.hpp>
#include <exportd/exports/catalog.hpp>
#include <exportd/exports/encoder_factory.hpp>
#include <exportd/exports/receipts.hpp>
#include <exportd/exports/schema_store.hpp>
#include <exportd/http/estimate_endpoint.hpp>
#include <exportd/http/export_endpoint.hpp>
#include <exportd/http/export_services.hpp>
#include <exportd/http/listing_endpoint.hpp>
#include <exportd/http/probe_endpoints.hpp>
#include <exportd/http/receipt_endpoint.hpp>
#include <exportd/http/router.hpp>
#include <exportd/http/server.hpp>
#include <exportd/observe/logger.hpp>
#include <exportd/observe/loop_monitor.hpp>
#include <exportd/observe/readiness.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "database.hpp"
#include "ops_thread.hpp"
#include <csignal>
#include <cstdio>
#include <optional>

namespace exportd::app {
namespace asio = boost::asio;

namespace {

using observe::event;
using observe::level;

observe::logger_options log_options(const log_config& c) {
    observe::logger_options o;
    o.least = c.level;
    o.format = c.format;
    o.queue = c.queue;
    return o;
}

http::server_options server_options_of(const config& c) {
    http::server_options o;
    o.listen = c.server.listen;
    o.max_connections = c.server.max_connections;
    o.max_header_bytes = c.server.max_header_bytes;
    o.send_buffer = c.server.send_buffer;
    o.header_timeout = c.server.header_timeout;
    o.keepalive_timeout = c.server.keepalive_timeout;
    o.write_timeout = c.limits.stall_timeout;
    return o;
}

http::export_limits export_limits_of(const config& c) {
    http::export_limits l;
    l.stream_row_limit = c.limits.stream_row_limit;
    l.chunk_bytes = c.server.chunk_bytes;
    l.turn_budget = c.loop.turn_budget;
    l.first_row_timeout = c.limits.first_row_timeout;
    l.count_timeout = c.limits.count_timeout;
    l.transfer = {c.limits.stall_timeout, c.limits.export_deadline};
    return l;
}

std::string address_text(const asio::ip::tcp::endpoint& e) {
    return e.address().is_v6() ? fmt::format("[{}]:{}", e.address().to_string(), e.port())
                               : fmt::format("{}:{}", e.address().to_string(), e.port());
}

// How long the first look at the database may hold up the listener.
constexpr std::chrono::seconds longest_start{1};

// Everything that serve() makes and its coroutines share, in the order of making.
struct service {
    service(const config& settings, observe::observer& told)
        : c{settings},
          log{told},
          catalog{exports::catalog::load(c.exports.directory, c.exports.sql_directory)},
          encoders{catalog},
          monitor{loop.get_executor()},
          postgres{loop, c.database, log},
          admission{c.limits.max_exports, c.limits.exports_per_client},
          receipts{c.limits.receipts, c.limits.receipt_ttl},
          exporting{catalog,
                    encoders,
                    postgres.queries,
                    admission,
                    receipts,
                    life,
                    log,
                    [this] { return monitor.total(); },
                    export_limits_of(c)},
          exports_csv{exporting},
          estimates{exporting},
          listing{exporting, schemas},
          receipt{receipts},
          ready{readiness},
          server{loop, server_options_of(c), routes, life, log} {
        routes.add("GET", {"healthz"}, health);
        routes.add("GET", {"readyz"}, ready);
        routes.add("GET", {"exports"}, listing);
        routes.add("GET", {"exports", "receipts", "{}"}, receipt);
        routes.add("GET", {"exports", "{}", "estimate"}, estimates);
        routes.add("GET", {"exports", "{}.csv"}, exports_csv);
    }

    const config& c;
    observe::observer& log;
    asio::io_context loop{1};
    exports::catalog catalog;
    exports::encoder_factory encoders;
    exports::schema_store schemas;
    observe::loop_monitor monitor;
    database postgres;
    exports::admission admission;
    exports::receipt_store receipts;
    http::lifecycle life;
    http::export_services exporting;
    http::export_endpoint exports_csv;
    http::estimate_endpoint estimates;
    http::listing_endpoint listing;
    http::receipt_endpoint receipt;
    http::health_endpoint health;
    observe::readiness readiness;
    http::ready_endpoint ready;
    http::router routes;
    http::server server;
    asio::signal_set signals{loop, SIGTERM, SIGINT};
    asio::steady_timer recheck{loop};
    asio::steady_timer first_check{loop, longest_start};
    int status = exit_ok;

    asio::awaitable<void> check_until_known();
    asio::awaitable<void> start_serving();
    asio::awaitable<void> wait_for_signals();
    asio::awaitable<void> shut_down();
    bool tell(const std::vector<export_fault>& faults);
    void stop(int with_status);
    bool stopping = false;
};

// Returns whether the database could be asked. An export that only its author can mend ends the
// service: better no start than a route that can never work.
bool service::tell(const std::vector<export_fault>& faults) {
    bool asked = true;
    for (const auto& fault : faults) {
        const bool unavailable = fault.what == export_fault::kind::unavailable;
        asked = asked && !unavailable;
        if (unavailable) continue;
        log.observe(event{level::error, "export_unusable"}
                        .with("export", fault.export_name)
                        .with("cause", fault.message));
        if (fault.what == export_fault::kind::definition) {
            fmt::print(stderr, "exportd: export {}: {}\n", fault.export_name, fault.message);
            stop(exit_failed);
        }
    }
    return asked;
}

asio::awaitable<void> service::check_until_known() {
    constexpr std::chrono::seconds pause{2};
    while (!stopping) {
        const auto faults = co_await check_exports(catalog, encoders, postgres.queries, schemas);
        const bool asked = tell(faults);
        first_check.cancel();
        if (asked || stopping) co_return;
        recheck.expires_after(pause);
        co_await recheck.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

// Serves once the exports are known to be fit, or soon anyway when the database can't be asked.
asio::awaitable<void> service::start_serving() {
    co_await first_check.async_wait(asio::as_tuple(asio::use_awaitable));
    if (stopping) co_return;
    try {
        server.start();
        readiness.set(observe::readiness::state::ready);
    } catch (const boost::system::system_error& e) {
        log.observe(event{level::error, "listen_failed"}.with("cause", e.code().message()));
        stop(exit_failed);
    }
}

asio::awaitable<void> service::wait_for_signals() {
    while (true) {
        const auto [ec, number] = co_await signals.async_wait(asio::as_tuple(asio::use_awaitable));
        if (ec) co_return;
        log.observe(
            event{level::info, "signal"}.with("signal", number == SIGTERM ? "SIGTERM" : "SIGINT"));
        if (stopping) {
            life.cut();
        } else {
            stop(exit_ok);
        }
    }
}

void service::stop(int with_status) {
    if (stopping) return;
    stopping = true;
    status = with_status;
    readiness.set(observe::readiness::state::draining);
    recheck.cancel();
    first_check.cancel();
    asio::co_spawn(loop, shut_down(), asio::detached);
}

// The order matters: what uses something ends before it. Afterwards the loop has no work left.
asio::awaitable<void> service::shut_down() {
    const auto delay = status == exit_ok ? c.server.shutdown_delay : std::chrono::milliseconds{0};
    co_await server.drain(delay, c.server.drain_timeout);
    co_await postgres.connections->shutdown();
    monitor.stop();
    signals.cancel();
    log.observe(event{level::info, "stopped"});
    // The loop is about to run out of work. Only a name lookup that hangs in the system could
    // still keep it, and nothing of ours waits for that.
    constexpr std::chrono::milliseconds last_turns{50};
    recheck.expires_after(last_turns);
    co_await recheck.async_wait(asio::as_tuple(asio::use_awaitable));
    loop.stop();
}

void tell_start(service& s) {
    event e{level::info, "serving"};
    e.with("listen", address_text(s.server.local_endpoint()))
        .with("exports", s.catalog.all().size());
    // The event's keys are not copied.
    const auto list = versions();
    for (const auto& [name, version] : list)
        e.with(name, version);
    s.log.observe(e);
    for (const auto& line : s.encoders.describe()) {
        s.log.observe(event{level::debug, "formatter"}.with("formatter", line));
    }
}

// Has `bind` take an address, and names the key when that fails.
template <class Bind>
void bind_to(std::string_view key, const asio::ip::tcp::endpoint& address, Bind bind) {
    try {
        bind();
    } catch (const boost::system::system_error& e) {
        throw std::runtime_error{
            fmt::format("{} {}: {}", key, address_text(address), e.code().message())};
    }
}

}  // namespace

int serve(const config& c) {
    // A client that leaves must not end the process.
    std::signal(SIGPIPE, SIG_IGN);
    observe::logger log{log_options(c.log)};
    try {
        service s{c, log};
        bind_to("server.listen", c.server.listen, [&] { s.server.bind(); });
        std::optional<ops_thread> ops;
        bind_to("ops.listen", c.ops.listen,
                [&] { ops.emplace(c.ops.listen, c.ops.stall_limit, s.monitor, s.readiness, log); });
        s.monitor.start();
        s.postgres.connections->start();
        asio::co_spawn(s.loop, s.wait_for_signals(), asio::detached);
        asio::co_spawn(s.loop, s.check_until_known(), asio::detached);
        asio::co_spawn(s.loop, s.start_serving(), asio::detached);
        tell_start(s);
        s.loop.run();
        return s.status;
    } catch (const std::exception& e) {
        fmt::print(stderr, "exportd: {}\n", e.what());
        return exit_failed;
    }
}

int check(const config& c) {
    observe::logger log{log_options(c.log)};
    try {
        asio::io_context loop{1};
        const auto catalog = exports::catalog::load(c.exports.directory, c.exports.sql_directory);
        const exports::encoder_factory encoders{catalog};
        exports::schema_store schemas;
        database postgres{loop, c.database, log};
        std::vector<export_fault> faults;
        const auto all = [&]() -> asio::awaitable<void> {
            faults = co_await check_exports(catalog, encoders, postgres.queries, schemas);
            co_await postgres.connections->shutdown();
        };
        asio::co_spawn(loop, all(), asio::detached);
        loop.run();
        for (const auto& fault : faults) {
            fmt::print(stderr, "exportd: export {}: {}\n", fault.export_name, fault.message);
        }
        if (!faults.empty()) return exit_failed;
        fmt::print("{} exports are fit to be served\n", catalog.all().size());
        return exit_ok;
    } catch (const std::exception& e) {
        fmt::print(stderr, "exportd: {}\n", e.what());
        return exit_failed;
    }
}

}  // namespace exportd::app
