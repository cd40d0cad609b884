#pragma once

#include <exportd/jobs/job_store.hpp>
#include <exportd/sql/session.hpp>
#include <exportd/work/worker_pool.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace exportd::jobs {

// The thread that talks to the job table. Those who ask over HTTP take turns with each other, and
// all of them with the service's own work: however many ask, leases are renewed.
class control {
public:
    // `name` says in the table which process holds a lease.
    control(sql::session_options database, std::string name, std::size_t queue);

    // Runs `work(job_store&)` on the thread and resumes the caller on its own executor with what
    // it returned or threw. Throws work::pool_full as well.
    template <class Work>
    boost::asio::awaitable<std::invoke_result_t<Work&, job_store&>> ask(std::string caller,
                                                                        Work work) {
        return run(work::lane::brief, std::move(caller), std::move(work));
    }

    // The same for the service's own work.
    template <class Work>
    boost::asio::awaitable<std::invoke_result_t<Work&, job_store&>> ask_for_service(std::string who,
                                                                                    Work work) {
        return run(work::lane::lasting, std::move(who), std::move(work));
    }

    // Drops what waits and takes nothing more; what runs has to end soon.
    void close() {
        thread_.close();
        session_.hurry();
    }

private:
    template <class Work>
    boost::asio::awaitable<std::invoke_result_t<Work&, job_store&>> run(work::lane in,
                                                                        std::string caller,
                                                                        Work work) {
        // A statement that runs is waited for; the session bounds how long.
        auto task = [this, work = std::move(work)](const std::stop_token&) mutable {
            return work(store_);
        };
        return thread_.run(in, std::move(caller), std::move(task));
    }

    sql::session session_;
    job_store store_;
    work::worker_pool thread_;  // last: it ends before what it uses
};

}  // namespace exportd::jobs
