#include <exportd/work/task_queue.hpp>
#include <exportd/work/worker_pool.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <csignal>
#include <map>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace exportd::work {
namespace asio = boost::asio;

namespace {

using clock = std::chrono::steady_clock;

std::chrono::microseconds between(clock::time_point from, clock::time_point to) {
    return std::chrono::duration_cast<std::chrono::microseconds>(to - from);
}

// One task from its submission to the resumption of who awaits it. `complete` posts to the
// awaiting executor and is called once, without a lock.
struct entry {
    lane in = lane::brief;
    worker_pool::task work;
    std::function<void(std::exception_ptr)> complete;
    std::stop_source stop;
    clock::time_point since = clock::now();
};

std::exception_ptr aborted() {
    return std::make_exception_ptr(boost::system::system_error{asio::error::operation_aborted});
}

}  // namespace

struct worker_pool::shared {
    explicit shared(worker_pool_options o)
        : options{std::move(o)}, queues{task_queue{options.queue}, task_queue{options.queue}} {}

    worker_pool_options options;
    mutable std::mutex guard;
    std::condition_variable changed;
    std::array<task_queue, 2> queues;  // by lane
    std::array<std::size_t, 2> busy{};
    std::size_t last_lane = 0;  // that a task was taken from
    std::map<task_queue::id, std::shared_ptr<entry>> waiting;
    std::map<task_queue::id, std::shared_ptr<entry>> running;
    task_queue::id last_id = 0;
    bool closed = false;
    std::vector<std::thread> threads;

    pool_state state_locked() const { return {options.threads, running.size(), waiting.size()}; }
    std::size_t lane_width() const { return std::max<std::size_t>(options.threads, 2) - 1; }
    bool ready() const { return has_work(0) || has_work(1); }
    bool has_work(std::size_t in) const {
        return queues[in].size() != 0 && busy[in] < lane_width();
    }
    std::optional<task_queue::id> take();

    // The id under which it waits; nothing if it is refused.
    std::optional<task_queue::id> submit(const std::string& caller, std::shared_ptr<entry> e);
    void cancel(task_queue::id id);
    void close();
    void run();
    void run_one(task_queue::id id, entry& e);
};

std::optional<task_queue::id> worker_pool::shared::submit(const std::string& caller,
                                                          std::shared_ptr<entry> e) {
    std::unique_lock lock{guard};
    if (closed || !queues[static_cast<std::size_t>(e->in)].push(caller, last_id + 1)) {
        lock.unlock();
        options.reported({outcome::refused, {}, {}});
        return std::nullopt;
    }
    waiting.emplace(++last_id, std::move(e));
    options.changed(state_locked());
    changed.notify_one();
    return last_id;
}

void worker_pool::shared::cancel(task_queue::id id) {
    std::unique_lock lock{guard};
    if (const auto now = running.find(id); now != running.end()) {
        const auto e = now->second;
        lock.unlock();
        e->stop.request_stop();
        return;
    }
    const auto queued = waiting.find(id);
    if (queued == waiting.end()) return;
    queues[static_cast<std::size_t>(queued->second->in)].remove(id);
    const auto e = std::move(waiting.extract(id).mapped());
    options.changed(state_locked());
    lock.unlock();
    options.reported({outcome::cancelled, between(e->since, clock::now()), {}});
    e->complete(aborted());
}

void worker_pool::shared::close() {
    std::vector<task_queue::id> all;
    {
        const std::lock_guard lock{guard};
        closed = true;
        for (const auto& [id, e] : waiting)
            all.push_back(id);
        for (const auto& [id, e] : running)
            all.push_back(id);
    }
    for (const auto id : all)
        cancel(id);
    changed.notify_all();
}

// The lanes take turns.
std::optional<task_queue::id> worker_pool::shared::take() {
    const std::size_t in = has_work(1 - last_lane) ? 1 - last_lane : last_lane;
    if (!has_work(in)) return std::nullopt;
    last_lane = in;
    ++busy[in];
    return queues[in].pop();
}

void worker_pool::shared::run() {
    // Where it is not granted the threads are merely as eager as others.
    if (options.niceness != 0)
        ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), options.niceness);
    std::unique_lock lock{guard};
    for (;;) {
        changed.wait(lock, [this] { return closed || ready(); });
        const auto id = take();
        if (!id) return;
        const auto e = std::move(waiting.extract(*id).mapped());
        running.emplace(*id, e);
        options.changed(state_locked());
        lock.unlock();
        run_one(*id, *e);
        lock.lock();
    }
}

void worker_pool::shared::run_one(task_queue::id id, entry& e) {
    const auto began = clock::now();
    std::exception_ptr failure;
    try {
        e.work(e.stop.get_token());
    } catch (...) {
        failure = std::current_exception();
    }
    // What the job held goes before anybody is told that it is over.
    e.work = nullptr;
    auto what = failure ? outcome::failed : outcome::done;
    if (e.stop.stop_requested()) {
        what = outcome::cancelled;
        failure = aborted();
    }
    {
        const std::lock_guard lock{guard};
        running.erase(id);
        --busy[static_cast<std::size_t>(e.in)];
        options.changed(state_locked());
    }
    options.reported({what, between(e.since, began), between(began, clock::now())});
    e.complete(failure);
}

worker_pool::worker_pool(worker_pool_options options)
    : shared_{std::make_shared<shared>(std::move(options))} {
    // Signals are for the thread that waits for them.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (std::size_t i = 0; i < shared_->options.threads; ++i) {
        shared_->threads.emplace_back([pool = shared_.get()] { pool->run(); });
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    shared_->options.changed(state());
}

worker_pool::~worker_pool() {
    shared_->close();
    for (auto& thread : shared_->threads)
        thread.join();
}

std::size_t worker_pool::lane_width() const noexcept {
    return shared_->lane_width();
}

void worker_pool::close() {
    shared_->close();
}

pool_state worker_pool::state() const {
    const std::lock_guard lock{shared_->guard};
    return shared_->state_locked();
}

asio::awaitable<void> worker_pool::run_task(lane in, std::string caller, task work) {
    auto initiate = [pool = shared_, in, caller = std::move(caller),
                     work = std::move(work)](auto handler) mutable {
        auto executor = asio::get_associated_executor(handler);
        auto slot = asio::get_associated_cancellation_slot(handler);
        auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        auto e = std::make_shared<entry>();
        e->in = in;
        e->work = std::move(work);
        e->complete = [resume, executor,
                       busy = asio::make_work_guard(executor)](std::exception_ptr failure) mutable {
            asio::post(executor, [resume = std::move(resume), failure = std::move(failure)] {
                asio::get_associated_cancellation_slot(*resume).clear();
                std::move (*resume)(failure);
            });
            busy.reset();
        };
        const auto id = pool->submit(caller, e);
        if (!id) {
            e->complete(std::make_exception_ptr(pool_full{}));
        } else if (slot.is_connected()) {
            slot.assign([pool, id = *id](asio::cancellation_type) { pool->cancel(id); });
        }
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(
        std::move(initiate), asio::use_awaitable);
}

}  // namespace exportd::work
