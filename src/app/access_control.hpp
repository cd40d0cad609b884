#pragma once

#include <exportd/access/audit_recorder.hpp>
#include <exportd/access/authenticator.hpp>
#include <exportd/access/failure_limit.hpp>
#include <exportd/access/key_source.hpp>
#include <exportd/access/network.hpp>
#include <exportd/access/policy.hpp>
#include <exportd/access/quota.hpp>
#include <exportd/access/sign_in.hpp>
#include <exportd/app/config.hpp>
#include <exportd/exports/catalog.hpp>
#include <exportd/http/gatekeeper.hpp>
#include <exportd/http/sign_in_endpoints.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/logger.hpp>
#include <exportd/work/worker_pool.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>

namespace exportd::app {

// The names of the exports.
std::set<std::string> export_names(const exports::catalog& catalog);

// Who may do what, and the record of it, in the order of making. Loop thread only.
struct access_control {
    // Reads the access file. Throws std::runtime_error with what is wrong with it. The references
    // outlive it; `lines` is where the audit's lines go.
    access_control(const config& c, boost::asio::any_io_executor loop,
                   const exports::catalog& catalog, observe::logger& lines,
                   observe::observer& told);

    void start();

    // Waits until the record of all is written, for a bounded time.
    boost::asio::awaitable<void> drain();

    // Reads the access file and the keys again, on a thread of `workers`, and puts it in force if
    // it is right.
    boost::asio::awaitable<void> reload(work::worker_pool& workers);

    http::gate_services gate_services();
    http::sign_in_services sign_in_services();

    const config& c;
    observe::observer& told;
    std::set<std::string> exports;
    access::policy_store policies;
    std::unique_ptr<access::key_source> keys;              // null: no tokens of others
    std::unique_ptr<access::authenticator> authenticator;  // null: nobody is told apart
    std::optional<access::sign_ins> sign_ins;
    access::networks trusted_proxies;
    access::failure_limit failures;
    access::quota quota;
    access::audit_recorder audit;
};

}  // namespace exportd::app
