#include <exportd/access/jwt.hpp>
#include <exportd/access/policy.hpp>
#include <exportd/app/application.hpp>
#include <exportd/app/export_check.hpp>
#include <exportd/curl/library.hpp>
#include <exportd/observe/cgroup_watch.hpp>
#include <exportd/observe/logger.hpp>
#include <exportd/observe/metrics.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

#include "ops_thread.hpp"
#include "service.hpp"
#include "weaknesses.hpp"
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

std::string address_text(const asio::ip::tcp::endpoint& e) {
    return e.address().is_v6() ? fmt::format("[{}]:{}", e.address().to_string(), e.port())
                               : fmt::format("{}:{}", e.address().to_string(), e.port());
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

// What the metrics look up when they are read, on the ops thread, which adds what its watchdog saw.
observe::metric_sources sources_of(const service& s, const observe::logger& log,
                                   observe::cgroup_watch& limits) {
    observe::metric_sources from;
    from.loop = [&s] { return s.monitor.health(std::chrono::steady_clock::now()); };
    from.throttled = [&limits] { return limits.throttled(); };
    from.not_ready = [&s] { return s.readiness.reasons(); };
    from.log_dropped = [&log] { return log.dropped(); };
    from.cgroup = [&limits] { return limits.usage(); };
    from.process = [] { return observe::read_process_usage(); };
    return from;
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
    // Before the log's thread.
    const curl::library transfers;
    const access::jose_library signatures;
    observe::logger log{log_options(c.log)};
    try {
        service s{c, log};
        bind_to("server.listen", c.server.listen, [&] { s.server.bind(); });
        observe::cgroup_watch limits{[group = observe::cgroup{}] { return group.read(); }};
        std::optional<ops_thread> ops;
        bind_to("ops.listen", c.ops.listen, [&] {
            ops.emplace(c, s.monitor, s.readiness, s.metrics, sources_of(s, log, limits), limits,
                        log);
        });
        s.start();
        tell_start(s);
        s.loop.run();
        return s.status;
    } catch (const std::exception& e) {
        fmt::print(stderr, "exportd: {}\n", e.what());
        return exit_failed;
    }
}

int check(const config& c) {
    for (const auto& weakness : weaknesses(c))
        fmt::print(stderr, "exportd: warning: {}\n", weakness);
    observe::logger log{log_options(c.log)};
    try {
        asio::io_context loop{1};
        const auto catalog = exports::catalog::load(c.exports.directory, c.exports.sql_directory);
        if (c.auth.mode != auth_mode::none)
            access::policy::read(c.auth.file, export_names(catalog));
        const exports::encoder_factory encoders{catalog};
        exports::schema_store schemas;
        observe::gauges state;
        observe::readiness readiness;
        database postgres{loop, c.database, log, state, readiness};
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
