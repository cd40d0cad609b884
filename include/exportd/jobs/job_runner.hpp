#pragma once

#include <exportd/access/audit.hpp>
#include <exportd/jobs/control.hpp>
#include <exportd/jobs/export_task.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/gauges.hpp>
#include <exportd/work/worker_pool.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace exportd::jobs {

struct runner_options {
    std::chrono::milliseconds poll{2'000};  // between two looks for work of other replicas
    std::chrono::milliseconds lease{30'000};
    std::chrono::milliseconds retry{5'000};  // before the second try; doubles from try to try
    int most_attempts = 3;
    std::chrono::milliseconds keep_file{0};
    // Whether files can be written now. Without them jobs are left to other processes.
    std::function<bool()> ready = [] { return true; };
    // Whether its owner may still have what a job makes.
    std::function<bool(const job_request&)> permitted = [](const job_request&) { return true; };
    // Told of the rows of each job that was completed.
    std::function<void(const job_request&, std::uint64_t rows)> completed = [](const job_request&,
                                                                               std::uint64_t) {};
};

// Takes jobs from the table as long as there is a worker thread for them, keeps their leases, and
// records how they end. Loop thread only: whatever waits does so on the control thread or on
// a worker.
class job_runner {
public:
    // The references outlive it.
    job_runner(boost::asio::any_io_executor loop, control& table, work::worker_pool& workers,
               task_services services, runner_options options, access::audit& audit,
               observe::observer& told, observe::gauges& state);
    ~job_runner();
    job_runner(const job_runner&) = delete;
    job_runner& operator=(const job_runner&) = delete;

    void start();

    // Looks for work at once.
    void wake();

    // Takes nothing more, stops what runs and puts it back into the queue, where another process
    // finds it. Returns once that is done, or after `most`.
    boost::asio::awaitable<void> drain(std::chrono::milliseconds most);

private:
    struct running;

    boost::asio::awaitable<void> take_jobs();
    boost::asio::awaitable<bool> take_one();
    boost::asio::awaitable<void> run(std::shared_ptr<running> r);
    boost::asio::awaitable<void> keep_lease(std::shared_ptr<running> r);
    boost::asio::awaitable<void> watch_lease(std::shared_ptr<running> r);
    boost::asio::awaitable<bool> renew(running& r);
    boost::asio::awaitable<void> settle(std::shared_ptr<running> r, task_end end);
    boost::asio::awaitable<void> remove_orphan(std::shared_ptr<running> r);
    boost::asio::awaitable<task_end> work_on(std::shared_ptr<running> r);
    access::audit_record record_of(const running& r) const;
    void tell_start(const running& r) const;
    static std::string_view outcome_of(const running& r, std::string_view outcome);  // in the audit
    void note_end(const running& r, const task_end& end, std::string_view outcome,
                  std::chrono::milliseconds took);
    void tell_end(const running& r, const task_end& end, std::string_view outcome);
    void publish() const;

    boost::asio::any_io_executor loop_;
    control& table_;
    work::worker_pool& workers_;
    task_services services_;
    runner_options options_;
    access::audit& audit_;
    observe::observer& told_;
    observe::gauges& state_;
    std::vector<std::string> exports_;  // whose jobs can be made here
    std::list<std::shared_ptr<running>> running_;
    boost::asio::steady_timer look_;
    boost::asio::steady_timer drained_;
    bool closing_ = false;
    bool wanted_ = false;   // to look again at once
    bool failing_ = false;  // the table could not be asked
};

}  // namespace exportd::jobs
