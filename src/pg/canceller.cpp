#include <exportd/pg/canceller.hpp>

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <libpq-fe.h>
#include <mutex>
#include <thread>
#include <utility>

namespace exportd::pg {

// Shared with the threads, so that one which hangs can outlive the canceller.
struct canceller::state {
    std::mutex guard;
    std::condition_variable changed;
    std::deque<cancel_handle> waiting;
    std::size_t most_threads = 0;
    std::size_t most_waiting = 0;
    std::size_t threads = 0;
    std::size_t idle = 0;
    bool stopping = false;

    void run() {
        std::unique_lock lock{guard};
        for (;;) {
            ++idle;
            changed.wait(lock, [this] { return stopping || !waiting.empty(); });
            --idle;
            if (waiting.empty()) break;
            auto handle = std::move(waiting.front());
            waiting.pop_front();
            lock.unlock();
            std::array<char, 256> ignored{};  // success proves nothing either
            PQcancel(handle.get(), ignored.data(), static_cast<int>(ignored.size()));
            handle.reset();
            lock.lock();
        }
        --threads;
        changed.notify_all();
    }
};

canceller::canceller(std::size_t most_threads, std::size_t most_waiting)
    : state_(std::make_shared<state>()) {
    state_->most_threads = most_threads;
    state_->most_waiting = most_waiting;
}

canceller::~canceller() {
    std::unique_lock lock{state_->guard};
    state_->stopping = true;
    state_->changed.notify_all();
    state_->changed.wait_for(lock, std::chrono::seconds{1},
                             [this] { return state_->threads == 0; });
}

void canceller::cancel(cancel_handle handle) {
    if (!handle) return;
    const std::lock_guard lock{state_->guard};
    if (state_->waiting.size() >= state_->most_waiting) state_->waiting.pop_front();
    state_->waiting.push_back(std::move(handle));
    if (state_->idle < state_->waiting.size() && state_->threads < state_->most_threads) {
        ++state_->threads;
        std::thread{[shared = state_] { shared->run(); }}.detach();
    }
    state_->changed.notify_one();
}

}  // namespace exportd::pg
