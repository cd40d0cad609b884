// What it costs to time the handlers of an Asio loop, and how much of the loop's time is seen.
// Usage: handler_timing WORKLOAD COUNT. Prints one line of JSON; `executions` counts functions
// inside others, too. handler_timing.py compiles this three times: as it is, without a meter; with
// BOOST_ASIO_CUSTOM_HANDLER_TRACKING, as the service; with HANDLER_TIMING_EXECUTOR.
#include "loop_workloads.hpp"
#include "metered_executor.hpp"

#ifdef BOOST_ASIO_CUSTOM_HANDLER_TRACKING
#include <exportd/observe/asio_tracking.hpp>
#endif

#include <boost/asio/io_context.hpp>
#include <sys/epoll.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

namespace {

namespace asio = boost::asio;
using namespace exportd;
using clock_type = observe::turn_meter::clock;

// What the loop's thread spends waiting, and the CPU time of that. What adds it up is called by
// Asio as if it were libc, and is handed nothing.
std::chrono::nanoseconds waited{0};
std::chrono::nanoseconds waited_cpu{0};

std::chrono::nanoseconds cpu_time() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec};
}

asio::any_io_executor executor_of(asio::io_context& loop,
                                  [[maybe_unused]] bench::metered_turns& turns) {
#if defined(HANDLER_TIMING_EXECUTOR)
    return bench::metered_executor{loop.get_executor(), turns};
#elif defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
    observe::meter_of_this_thread = &turns.meter;
    return loop.get_executor();
#else
    return loop.get_executor();
#endif
}

int measure(const char* name, std::uint64_t count) {
    bench::metered_turns turns;
    asio::io_context loop{1};
    const auto executor = executor_of(loop, turns);
    const auto work = bench::start_workload(name, executor, count);
    if (!work) return 2;

    const auto before = turns.meter.read(clock_type::now());
    const auto cpu_before = cpu_time();
    const auto began = clock_type::now();
    loop.run();
    const auto ended = clock_type::now();
    const auto cpu = cpu_time() - cpu_before;
    const auto seen = turns.meter.read(ended);

    const auto wall = ended - began;
    const auto number = [](const char* key, auto n) {
        std::printf(",\"%s\":%lld", key, static_cast<long long>(n));
    };
    std::printf("{\"workload\":\"%s\"", name);
    number("wall_ns", wall.count());
    number("awake_ns", (wall - waited).count());
    number("cpu_ns", cpu.count());
    number("awake_cpu_ns", (cpu - waited_cpu).count());
    number("busy_ns", (seen.busy - before.busy).count());
    number("turns", seen.turns - before.turns);
    number("executions", turns.executions);
    std::printf("}\n");
    return 0;
}

}  // namespace

extern "C" int epoll_wait(int epoll, epoll_event* events, int size, int timeout) {
    if (timeout == 0) return epoll_pwait(epoll, events, size, timeout, nullptr);
    const auto began = clock_type::now();
    const auto cpu_before = cpu_time();
    const int found = epoll_pwait(epoll, events, size, timeout, nullptr);
    waited_cpu += cpu_time() - cpu_before;
    waited += clock_type::now() - began;
    return found;
}

int main(int argc, char** argv) {
    try {
        if (argc == 3 && measure(argv[1], std::strtoull(argv[2], nullptr, 10)) == 0) return 0;
        std::fprintf(stderr, "usage: handler_timing WORKLOAD COUNT\n");
        return 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "handler_timing: %s\n", e.what());
        return 1;
    }
}
