#pragma once

#include <exportd/app/application.hpp>
#include <exportd/app/export_check.hpp>
#include <exportd/exports/admission.hpp>
#include <exportd/exports/catalog.hpp>
#include <exportd/exports/encoder_factory.hpp>
#include <exportd/exports/load_shedder.hpp>
#include <exportd/exports/receipts.hpp>
#include <exportd/exports/schema_store.hpp>
#include <exportd/http/debug_endpoint.hpp>
#include <exportd/http/estimate_endpoint.hpp>
#include <exportd/http/export_endpoint.hpp>
#include <exportd/http/export_services.hpp>
#include <exportd/http/gatekeeper.hpp>
#include <exportd/http/job_endpoints.hpp>
#include <exportd/http/job_services.hpp>
#include <exportd/http/listing_endpoint.hpp>
#include <exportd/http/page_endpoint.hpp>
#include <exportd/http/probe_endpoints.hpp>
#include <exportd/http/receipt_endpoint.hpp>
#include <exportd/http/report_endpoint.hpp>
#include <exportd/http/router.hpp>
#include <exportd/http/server.hpp>
#include <exportd/http/sign_in_endpoints.hpp>
#include <exportd/observe/loop_monitor.hpp>
#include <exportd/observe/metrics.hpp>
#include <exportd/observe/observers.hpp>
#include <exportd/observe/readiness.hpp>
#include <exportd/work/worker_pool.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "access_control.hpp"
#include "background.hpp"
#include "database.hpp"
#include <csignal>
#include <vector>

namespace exportd::app {

// Everything that serve() makes and its coroutines share, in the order of making.
struct service {
    // Throws what is wrong with the exports or the database URL. The references outlive it.
    service(const config& settings, observe::logger& told);

    // Puts everything to work on the loop; the caller runs it.
    void start();

    const config& c;
    boost::asio::io_context loop{1};
    exports::catalog catalog;
    observe::metrics metrics;
    observe::observers log;  // and the metrics
    exports::encoder_factory encoders;
    exports::schema_store schemas;
    observe::loop_monitor monitor;
    observe::readiness readiness;
    database postgres;
    exports::admission admission;
    exports::load_shedder shedder;
    exports::receipt_store receipts;
    access_control access;
    http::lifecycle life;
    http::export_services exporting;
    http::export_endpoint exports_csv;
    http::estimate_endpoint estimates;
    http::listing_endpoint listing;
    http::receipt_endpoint receipt;
    http::receipts_endpoint own_receipts;
    http::sign_in_endpoints sign_in;
    http::page_endpoints page;
    http::health_endpoint health;
    work::worker_pool workers;
    background jobs;
    exports::admission downloads;
    http::job_services job_serving;
    http::job_endpoints job_routes;
    http::block_endpoint block;
    http::work_endpoint worked;
    http::report_endpoint report;
    http::ready_endpoint ready;
    http::router routes;
    http::gatekeeper gate;
    http::server server;
    boost::asio::signal_set signals{loop, SIGTERM, SIGINT};
    boost::asio::signal_set hangups{loop, SIGHUP};
    boost::asio::steady_timer recheck{loop};
    boost::asio::steady_timer first_check{loop};
    boost::asio::steady_timer load_check{loop};
    int status = exit_ok;

private:
    boost::asio::awaitable<void> check_until_known();
    boost::asio::awaitable<void> start_serving();
    boost::asio::awaitable<void> wait_for_signals();
    boost::asio::awaitable<void> wait_for_hangups();
    boost::asio::awaitable<void> shut_down();
    boost::asio::awaitable<void> watch_load();
    void publish_exports() noexcept;
    bool tell(const std::vector<export_fault>& faults);
    void stop(int with_status);
    bool stopping = false;
};

}  // namespace exportd::app
