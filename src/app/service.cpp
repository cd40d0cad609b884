#include "service.hpp"

#include <exportd/observe/cgroup.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace exportd::app {
namespace asio = boost::asio;

namespace {

using observe::event;
using observe::level;

// How long the first look at the database may hold up the listener.
constexpr std::chrono::seconds longest_start{1};

observe::metric_names names_of(const exports::catalog& catalog) {
    observe::metric_names names;
    for (const auto& [name, entry] : catalog.all())
        names.exports.push_back(name);
    names.versions = versions();
    return names;
}

http::server_options server_options_of(const config& c, http::gate& gate,
                                       observe::gauge& connections) {
    http::server_options o;
    o.before = &gate;
    o.connections = &connections;
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
    l.jobs = true;
    return l;
}

// A connection is there for each export that runs: who has to wait does so in the queue, where
// clients take turns.
exports::admission_limits admission_limits_of(const config& c) {
    exports::admission_limits l;
    l.most_running = std::min(c.limits.max_exports, c.database.pool_size);
    l.most_waiting = c.limits.max_queued;
    l.most_for_client = c.limits.exports_per_client;
    l.wait = c.limits.queue_timeout;
    return l;
}

// A download holds memory like an export, but no connection to PostgreSQL.
exports::admission_limits download_limits() {
    exports::admission_limits l;
    l.most_running = 128;
    l.most_waiting = 0;
    l.most_for_client = 16;
    return l;
}

http::job_service_limits job_limits_of(const config& c) {
    http::job_service_limits l;
    l.transfer = {c.limits.stall_timeout, c.limits.export_deadline};
    return l;
}

std::string_view name_of(work::outcome what) {
    switch (what) {
        case work::outcome::done:
            return "done";
        case work::outcome::failed:
            return "failed";
        case work::outcome::cancelled:
            return "cancelled";
        case work::outcome::refused:
            break;
    }
    return "refused";
}

// Threads by the quota of the process, not by the cores of the host: more only take turns.
work::worker_pool_options worker_options_of(const config& c, observe::observer& told,
                                            observe::gauges& state) {
    work::worker_pool_options o;
    o.threads = c.workers.threads;
    if (o.threads == 0) {
        // Two at least, so that neither reports nor background exports take them all.
        o.threads = std::max<std::size_t>(
            observe::usable_cores(observe::cgroup{}.read(), observe::affine_cores()), 2);
    }
    o.queue = c.workers.queue;
    // The loop is what everybody waits for: it comes first wherever there are too few cores.
    constexpr int stand_back = 10;
    o.niceness = stand_back;
    o.changed = [&state](const work::pool_state& now) {
        state.workers_threads.set(static_cast<std::int64_t>(now.threads));
        state.workers_busy.set(static_cast<std::int64_t>(now.busy));
        state.workers_queued.set(static_cast<std::int64_t>(now.queued));
    };
    o.reported = [&told](const work::task_report& r) {
        const auto ms = [](std::chrono::microseconds t) {
            return static_cast<double>(t.count()) / 1000.0;
        };
        told.observe(event{level::debug, "task_finished"}
                         .with("outcome", name_of(r.what))
                         .with("wait_ms", ms(r.waited))
                         .with("run_ms", ms(r.ran)));
    };
    return o;
}

// Each report has a connection of its own, as it blocks its thread for as long as it takes.
reports::report_database report_database_of(const config& c) {
    return {c.database.url, c.database.connect_timeout, c.limits.report_timeout};
}

constexpr std::chrono::milliseconds load_check_pause{250};

}  // namespace

service::service(const config& settings, observe::logger& told)
    : c{settings},
      catalog{exports::catalog::load(c.exports.directory, c.exports.sql_directory)},
      metrics{names_of(catalog)},
      log{{told, metrics}},
      encoders{catalog},
      monitor{loop.get_executor(), log, {.slow_turn = c.loop.slow_turn}},
      readiness{c.readiness.on_database_outage},
      postgres{loop, c.database, log, metrics.state(), readiness},
      admission{loop.get_executor(), admission_limits_of(c), [this] { publish_exports(); }},
      shedder{{c.loop.max_delay, c.loop.max_utilisation}},
      receipts{c.limits.receipts, c.limits.receipt_ttl},
      access{c, loop.get_executor(), catalog, told, log},
      exporting{catalog,
                access.policies,
                encoders,
                postgres.queries,
                postgres.turns,
                admission,
                shedder,
                receipts,
                life,
                log,
                access.audit,
                access.quota,
                [this] { return monitor.total(); },
                export_limits_of(c)},
      exports_csv{exporting},
      estimates{exporting},
      listing{exporting, schemas},
      receipt{receipts},
      own_receipts{receipts},
      sign_in{access.sign_in_services()},
      workers{worker_options_of(c, log, metrics.state())},
      jobs{
          c,   loop.get_executor(), catalog, workers, {access.policies, access.audit, access.quota},
          log, metrics.state()},
      downloads{loop.get_executor(), download_limits()},
      job_serving{jobs.desk, catalog,      access.policies, downloads,       life,
                  log,       access.audit, access.quota,    job_limits_of(c)},
      job_routes{job_serving},
      worked{workers},
      report{{catalog, access.policies, life, shedder, workers, log, access.audit, access.quota,
              report_database_of(c), c.limits.report_timeout}},
      ready{readiness},
      gate{access.gate_services()},
      server{loop,   server_options_of(c, gate, metrics.state().http_connections),
             routes, life,
             log,    monitor.turns()} {
    routes.add("GET", {"healthz"}, health, http::audience::open);
    routes.add("GET", {"readyz"}, ready, http::audience::open);
    if (c.debug.routes) {
        routes.add("GET", {"debug", "block"}, block, http::audience::open);
        routes.add("GET", {"debug", "work"}, worked, http::audience::open);
    }
    page.add_to(routes);
    sign_in.add_to(routes);
    routes.add("GET", {"exports"}, listing);
    routes.add("GET", {"exports", "receipts"}, own_receipts);
    routes.add("GET", {"exports", "receipts", "{}"}, receipt);
    routes.add("POST", {"exports", "quarterly-report"}, report);
    routes.add("GET", {"exports", "{}", "estimate"}, estimates);
    job_routes.add_to(routes);
    routes.add("GET", {"exports", "{}.csv"}, exports_csv);
    for (const auto& route : routes.templates())
        metrics.add_route(route);
}

void service::start() {
    first_check.expires_after(longest_start);
    monitor.start();
    postgres.connections->start();
    access.start();
    jobs.start();
    asio::co_spawn(loop, wait_for_signals(), asio::detached);
    asio::co_spawn(loop, wait_for_hangups(), asio::detached);
    asio::co_spawn(loop, check_until_known(), asio::detached);
    asio::co_spawn(loop, start_serving(), asio::detached);
    asio::co_spawn(loop, watch_load(), asio::detached);
}

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

void service::publish_exports() noexcept {
    metrics.state().exports_waiting.set(static_cast<std::int64_t>(admission.waiting()));
}

asio::awaitable<void> service::watch_load() {
    while (!stopping) {
        load_check.expires_after(load_check_pause);
        co_await load_check.async_wait(asio::as_tuple(asio::use_awaitable));
        const bool before = shedder.shedding();
        shedder.update({monitor.summary().p99, monitor.utilisation()}, load_check.expiry());
        if (shedder.shedding() == before) continue;
        metrics.state().shedding.set(before ? 0 : 1);
        log.observe(event{level::warning, before ? "shedding_ended" : "shedding_started"}
                        .with("loop_delay_p99_ms", monitor.summary().p99.count() / 1000)
                        .with("loop_utilisation", monitor.utilisation()));
    }
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

asio::awaitable<void> service::wait_for_hangups() {
    while (true) {
        const auto [ec, number] = co_await hangups.async_wait(asio::as_tuple(asio::use_awaitable));
        if (ec) co_return;
        co_await access.reload(workers);
    }
}

void service::stop(int with_status) {
    if (stopping) return;
    stopping = true;
    status = with_status;
    readiness.set(observe::readiness::state::draining);
    recheck.cancel();
    first_check.cancel();
    load_check.cancel();
    admission.close();
    asio::co_spawn(loop, shut_down(), asio::detached);
}

// The order matters: what uses something ends before it. Afterwards the loop has no work left.
asio::awaitable<void> service::shut_down() {
    const auto delay = status == exit_ok ? c.server.shutdown_delay : std::chrono::milliseconds{0};
    constexpr std::chrono::seconds jobs_drain{10};
    // Background exports go on elsewhere from now on, while exports that stream come to their end.
    asio::co_spawn(loop, jobs.runner.drain(jobs_drain), asio::detached);
    co_await server.drain(delay, c.server.drain_timeout);
    co_await jobs.drain(jobs_drain);
    workers.close();
    co_await postgres.connections->shutdown();
    monitor.stop();
    signals.cancel();
    hangups.cancel();
    co_await access.drain();
    log.observe(event{level::info, "stopped"});
    // The loop is about to run out of work. Only a name lookup that hangs in the system could
    // still keep it, and nothing of ours waits for that.
    constexpr std::chrono::milliseconds last_turns{50};
    recheck.expires_after(last_turns);
    co_await recheck.async_wait(asio::as_tuple(asio::use_awaitable));
    loop.stop();
}

}  // namespace exportd::app
