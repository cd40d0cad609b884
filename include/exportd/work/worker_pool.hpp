#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace exportd::work {

// Kinds of work that must not starve each other: as long as there is more than one thread, neither
// gets the last one.
enum class lane : std::size_t { brief, lasting };  // seconds; minutes and more

enum class outcome { done, failed, cancelled, refused };

// How one task went.
struct task_report {
    outcome what = outcome::done;
    std::chrono::microseconds waited{0};  // in the queue
    std::chrono::microseconds ran{0};
};

// For any thread but its own: what the pool does now.
struct pool_state {
    std::size_t threads = 0;
    std::size_t busy = 0;
    std::size_t queued = 0;
};

struct worker_pool_options {
    std::size_t threads = 1;  // at least 1; never more, never fewer
    std::size_t queue = 64;   // tasks of each lane that may wait
    // How much the threads stand back when cores are scarce; see nice(2), which on Linux is
    // a thread's own.
    int niceness = 0;
    // Told of each task that ended, and of each change, on whichever thread that happened. Neither
    // may block or throw.
    std::function<void(const task_report&)> reported = [](const task_report&) {};
    std::function<void(const pool_state&)> changed = [](const pool_state&) {};
};

// One thread, for what has to be done in order.
inline worker_pool_options one_thread(std::size_t queue) {
    worker_pool_options o;
    o.queue = queue;
    return o;
}

// Thrown to who wanted a task run when as many wait as may, or when the pool is closing.
class pool_full : public std::exception {
public:
    const char* what() const noexcept override { return "as many tasks wait as there may be"; }
};

// A fixed number of threads for work that takes long, so that loops need not wait for it. Callers
// take turns; see task_queue.
class worker_pool {
public:
    // A task takes values only and must return soon after a stop is requested.
    using task = std::function<void(std::stop_token)>;

    // Starts the threads; signals are blocked on them.
    explicit worker_pool(worker_pool_options options);

    // Requests that all tasks stop and waits for those that run. Whoever awaits one must still
    // have a loop to be resumed on, or be gone.
    ~worker_pool();

    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;

    // Most tasks of one lane that run at once.
    std::size_t lane_width() const noexcept;

    // Runs `job(stop_token)` on a thread of the pool and resumes the awaiting coroutine on its own
    // executor with what the job returned or threw. `caller` is who takes turns with others.
    //
    // Throws pool_full. When the awaiting coroutine is cancelled, a queued job is dropped and a
    // running one is asked to stop; both throw boost::system::system_error with
    // operation_aborted, the latter once the job has returned.
    template <class Job>
    boost::asio::awaitable<std::invoke_result_t<Job&, std::stop_token>> run(lane in,
                                                                            std::string caller,
                                                                            Job job);

    // From now on nothing is taken. Tasks that wait are dropped and those that run are asked to
    // stop. For any thread.
    void close();

    pool_state state() const;

private:
    struct shared;

    boost::asio::awaitable<void> run_task(lane in, std::string caller, task work);

    std::shared_ptr<shared> shared_;
};

template <class Job>
boost::asio::awaitable<std::invoke_result_t<Job&, std::stop_token>> worker_pool::run(
    lane in, std::string caller, Job job) {
    using result = std::invoke_result_t<Job&, std::stop_token>;
    // Shared with the thread: a cancelled coroutine's frame may go while the job still runs.
    if constexpr (std::is_void_v<result>) {
        task work{std::move(job)};
        co_await run_task(in, std::move(caller), std::move(work));
    } else {
        auto slot = std::make_shared<std::optional<result>>();
        task work{[slot, job = std::move(job)](std::stop_token stop) mutable {
            slot->emplace(job(std::move(stop)));
        }};
        co_await run_task(in, std::move(caller), std::move(work));
        co_return std::move(**slot);
    }
}

}  // namespace exportd::work
