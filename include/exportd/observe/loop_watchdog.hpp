#pragma once

#include <exportd/observe/delay_gate.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/loop_health.hpp>
#include <exportd/observe/loop_monitor.hpp>
#include <exportd/observe/readiness.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <pthread.h>

namespace exportd::observe {

struct loop_watchdog_options {
    std::chrono::milliseconds stall{1000};          // the loop stands still for longer: a stall
    std::chrono::milliseconds log_every{10'000};    // between two lines about the loop; 0: none
    delay_gate::limits delay;                       // beyond which the service is not ready
    std::function<std::int64_t()> exports_running;  // for the line about the loop, if it is set
    // Whether the system keeps the process from running (CPU quota) these seconds. Not slow.
    std::function<bool()> throttled = [] { return false; };
};

// Watches a loop from the outside, on another thread's executor: tells stalls while they last,
// with the stack of the loop's thread (`loop_stalled`) and their length afterwards
// (`loop_stall_ended`); tells how the loop does at regular times (`loop`); feeds the readiness
// with the loop's delay. All members are for the executor's thread.
class loop_watchdog {
public:
    // `watched` is the thread of the monitor's loop; it is interrupted by a signal to tell its
    // stack. The references outlive the watchdog. Does not start yet.
    loop_watchdog(const boost::asio::any_io_executor& executor, const loop_monitor& monitor,
                  pthread_t watched, readiness& ready, observer& told,
                  loop_watchdog_options options);
    ~loop_watchdog();
    loop_watchdog(const loop_watchdog&) = delete;
    loop_watchdog& operator=(const loop_watchdog&) = delete;

    void start();

    // Afterwards it keeps no executor from running out of work.
    void stop();

    stall_counts stalls() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace exportd::observe
