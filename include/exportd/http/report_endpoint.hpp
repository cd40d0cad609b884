#pragma once

#include <exportd/access/audit.hpp>
#include <exportd/access/policy.hpp>
#include <exportd/access/quota.hpp>
#include <exportd/exports/catalog.hpp>
#include <exportd/exports/load_shedder.hpp>
#include <exportd/http/exchange.hpp>
#include <exportd/http/lifecycle.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/reports/report_maker.hpp>
#include <exportd/work/worker_pool.hpp>

#include <chrono>

namespace exportd::http {

// What reports need. The references outlive the endpoint.
struct report_services {
    const exports::catalog& catalog;
    const access::policy_store& policies;
    const lifecycle& life;
    const exports::load_shedder& shedder;
    work::worker_pool& workers;
    observe::observer& observer;
    access::audit& audit;
    access::quota& quota;
    reports::report_database database;
    std::chrono::milliseconds timeout{0};  // of a report, with its wait for a thread
};

// POST /exports/quarterly-report: the report of a range, as JSON or PDF, made on a worker thread.
// A client that leaves cancels it.
class report_endpoint final : public endpoint {
public:
    explicit report_endpoint(report_services services) : services_{std::move(services)} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    report_services services_;
};

}  // namespace exportd::http
