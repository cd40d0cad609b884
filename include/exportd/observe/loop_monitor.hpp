#pragma once

#include <exportd/observe/delay_histogram.hpp>
#include <exportd/observe/delay_window.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>

namespace exportd::observe {

// Measures how late ready callbacks run on a loop, by a timer of its own on it. All members but
// last_turn() are for the loop's thread.
class loop_monitor {
public:
    using clock = std::chrono::steady_clock;

    // The time between ticks is at least a millisecond; a tick costs some 60 us of CPU on a small
    // virtual machine, so that 10 ms stay below 1 % of a core. Does not start yet.
    explicit loop_monitor(const boost::asio::any_io_executor& loop,
                          std::chrono::milliseconds resolution = std::chrono::milliseconds{10});

    // Stops.
    ~loop_monitor();

    loop_monitor(const loop_monitor&) = delete;
    loop_monitor& operator=(const loop_monitor&) = delete;

    void start();

    // After it, the monitor keeps no loop from running out of work. It can't be started again.
    void stop();

    // Of the last 10 s.
    delay_summary summary() const;

    // Since the start; grows only.
    const delay_histogram& total() const;

    // When the loop last ran the timer, or when the monitor was made; for any thread. A loop that
    // turns is at most the resolution and a little behind the clock.
    clock::time_point last_turn() const noexcept;

private:
    struct state;
    std::shared_ptr<state> state_;  // shared with the waiting timer, which may outlive this
};

}  // namespace exportd::observe
