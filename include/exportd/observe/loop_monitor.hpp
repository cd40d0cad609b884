#pragma once

#include <exportd/observe/delay_histogram.hpp>
#include <exportd/observe/delay_window.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/loop_health.hpp>
#include <exportd/observe/turn_meter.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>

namespace exportd::observe {

struct loop_monitor_options {
    // The time between ticks, at least a millisecond. A tick costs some 60 us of CPU on a small
    // virtual machine, so that 10 ms stay below 1 % of a core.
    std::chrono::milliseconds resolution{10};
    std::chrono::milliseconds slow_turn{50};  // turns of this length and longer are told
};

// Watches a loop from within: how late ready callbacks run, by a timer of its own, and how long
// handlers take, by a hook in Asio. Slow turns are told as events `slow_turn`. All members but
// health() and last_turn() are for the loop's thread.
class loop_monitor {
public:
    using clock = std::chrono::steady_clock;

    // Does not start yet. The observer outlives it.
    loop_monitor(const boost::asio::any_io_executor& loop, observer& told,
                 loop_monitor_options options = {});

    // Stops.
    ~loop_monitor();

    loop_monitor(const loop_monitor&) = delete;
    loop_monitor& operator=(const loop_monitor&) = delete;

    // Measures the handlers of the calling thread from now on, instead of any monitor before it.
    void start();

    // After it, the monitor keeps no loop from running out of work. It can't be started again.
    void stop();

    // Of the last 10 s.
    delay_summary summary() const;

    // Since the start; grows only.
    const delay_histogram& total() const;

    // Time in handlers / time, of the last full second.
    double utilisation() const;

    // For who works on the loop, to say what the running turn is for.
    turn_meter& turns() noexcept;

    // How the loop does now, a stall in progress included; for any thread, and the loop never
    // waits for it. Takes some 30 us.
    loop_health health(clock::time_point now) const;

    // When the loop last ran the timer, or when the monitor was made; for any thread. A loop that
    // turns is at most the resolution and a little behind the clock.
    clock::time_point last_turn() const noexcept;

private:
    struct state;
    std::shared_ptr<state> state_;  // shared with the waiting timer, which may outlive this
};

}  // namespace exportd::observe
