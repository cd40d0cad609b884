#pragma once

#include <exportd/jobs/control.hpp>
#include <exportd/jobs/file_store.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/gauges.hpp>
#include <exportd/work/worker_pool.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace exportd::jobs {

struct janitor_options {
    std::chrono::milliseconds every{10'000};  // between two looks for what has expired
    std::chrono::milliseconds keep_job{0};    // a job's row, after its end
    std::chrono::milliseconds sweep_every{3'600'000};
    std::chrono::seconds sweep_age{3'600};  // younger files may be about to be recorded
};

// Removes files that have expired and then forgets their jobs, sweeps away what crashes left, looks
// whether the store can be used, and publishes how many jobs and letters wait. Every replica has
// one; what two do twice does no harm. Loop thread only.
class janitor {
public:
    // The references outlive it.
    janitor(boost::asio::any_io_executor loop, control& table, file_store& files,
            work::worker_pool& files_threads, janitor_options options, observe::observer& told,
            observe::gauges& state);

    void start();
    void stop();

    // Looks for what has expired at once.
    void wake();

    // Whether the file store could be used when it was last looked at.
    bool store_usable() const noexcept { return usable_; }

private:
    boost::asio::awaitable<void> look_after();
    boost::asio::awaitable<void> look_at_store();
    boost::asio::awaitable<void> expire();
    boost::asio::awaitable<bool> expire_one();
    boost::asio::awaitable<void> sweep();
    boost::asio::awaitable<void> count();
    void tell(std::string_view name, std::string_view job, const std::string& cause) const;

    control& table_;
    file_store& files_;
    work::worker_pool& threads_;
    janitor_options options_;
    observe::observer& told_;
    observe::gauges& state_;
    boost::asio::any_io_executor loop_;
    boost::asio::steady_timer next_;
    std::chrono::steady_clock::time_point next_sweep_{};
    bool stopping_ = false;
    bool usable_ = true;
};

}  // namespace exportd::jobs
