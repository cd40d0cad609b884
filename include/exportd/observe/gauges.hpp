#pragma once

#include <atomic>
#include <cstdint>

namespace exportd::observe {

// A number that its owner publishes whenever it changes, for metrics to read; for any thread.
// Nothing is ordered by it: it says how much there is of something, not what was written before.
class gauge {
public:
    void set(std::int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
    void add(std::int64_t change) noexcept { value_.fetch_add(change, std::memory_order_relaxed); }
    std::int64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::int64_t> value_{0};
};

// What the parts of the service publish about their present state.
struct gauges {
    gauge exports_running;
    gauge exports_waiting;   // for their turn
    gauge shedding;          // 1 while new exports are refused because of the loop's state, else 0
    gauge http_connections;  // of the public listener
    gauge pool_size;         // connections to PostgreSQL there may be
    gauge pool_idle;
    gauge pool_in_use;
    gauge pool_connecting;
    gauge pool_waiting;  // exports that wait for a connection
    gauge workers_threads;
    gauge workers_busy;
    gauge workers_queued;
    gauge job_table_lost;   // 1 while the job table can't be asked, else 0
    gauge file_store_lost;  // 1 while files of background exports can't be written, else 0
    gauge jobs_running;     // background exports of this process
    gauge jobs_queued;      // of all processes, as the job table last said
    gauge letters_waiting;  // likewise
};

}  // namespace exportd::observe
