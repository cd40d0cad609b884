#pragma once

#include <exportd/access/audit.hpp>
#include <exportd/access/policy.hpp>
#include <exportd/access/quota.hpp>
#include <exportd/app/config.hpp>
#include <exportd/exports/catalog.hpp>
#include <exportd/jobs/control.hpp>
#include <exportd/jobs/file_store.hpp>
#include <exportd/jobs/janitor.hpp>
#include <exportd/jobs/job_runner.hpp>
#include <exportd/jobs/letter_sender.hpp>
#include <exportd/jobs/mailer.hpp>
#include <exportd/jobs/table_desk.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/gauges.hpp>
#include <exportd/work/worker_pool.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>

namespace exportd::app {

// What background exports need to know of access. The references outlive them.
struct access_services {
    const access::policy_store& policies;
    access::audit& audit;
    access::quota& quota;
};

// Everything that background exports consist of, in the order of making. Loop thread only.
struct background {
    // Throws std::runtime_error for a store that can't be used. The references outlive it.
    background(const config& c, boost::asio::any_io_executor loop, const exports::catalog& catalog,
               work::worker_pool& workers, access_services access, observe::observer& told,
               observe::gauges& state);

    void start();

    // Puts what runs back into the queue for others. Takes `most`, or little longer.
    boost::asio::awaitable<void> drain(std::chrono::milliseconds most);

    database_config one_connection;
    std::unique_ptr<jobs::file_store> files;
    jobs::control table;
    work::worker_pool file_threads;
    jobs::job_runner runner;
    jobs::janitor janitor;
    jobs::table_desk desk;
    std::unique_ptr<jobs::mailer> mail;  // none: no letters
    std::optional<jobs::letter_sender> letters;
};

}  // namespace exportd::app
