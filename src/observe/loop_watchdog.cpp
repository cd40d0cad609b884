#include <exportd/observe/loop_watchdog.hpp>
#include <exportd/observe/rate_limit.hpp>
#include <exportd/observe/stack_sampler.hpp>
#include <exportd/observe/stall_watch.hpp>
#include <exportd/observe/symbol_table.hpp>

#include <boost/asio/steady_timer.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace exportd::observe {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds look_every{100};
// While a stack is awaited: it takes the thread some microseconds to answer.
constexpr std::chrono::milliseconds look_for_stack{5};
constexpr std::chrono::seconds longest_wait_for_stack{1};

double ms(std::chrono::nanoseconds t) {
    return std::chrono::duration<double, std::milli>{t}.count();
}

}  // namespace

struct loop_watchdog::state {
    state(const boost::asio::any_io_executor& executor, const loop_monitor& m, pthread_t watched,
          readiness& r, observer& o, loop_watchdog_options given)
        : timer{executor},
          monitor{m},
          ready{r},
          told{o},
          options{std::move(given)},
          gate{options.delay},
          stalls{options.stall},
          sampler{watched} {}

    static void wait(std::shared_ptr<state> self);
    void look(clock::time_point now);
    void on_stall(clock::time_point now);
    void tell_stall(const std::vector<void*>& frames, clock::time_point now);
    void tell_stall_end();
    void tell_line(const loop_health& h, clock::time_point now);
    void update_gate(const loop_health& h, clock::time_point now);

    boost::asio::steady_timer timer;
    const loop_monitor& monitor;
    readiness& ready;
    observer& told;
    loop_watchdog_options options;
    delay_gate gate;
    stall_watch stalls;
    stack_sampler sampler;
    std::optional<symbol_table> symbols;  // read with the first stall
    rate_limit stall_limit{5, std::chrono::seconds{30}};
    std::optional<clock::time_point> awaiting_stack;  // until when
    bool stall_told = false;
    clock::time_point next_line{};
    std::uint64_t turns_at_line = 0;
    bool stopped = false;
};

void loop_watchdog::state::wait(std::shared_ptr<state> self) {
    boost::asio::steady_timer& timer = self->timer;
    timer.expires_after(self->awaiting_stack ? look_for_stack : look_every);
    timer.async_wait([self = std::move(self)](boost::system::error_code error) mutable {
        if (error || self->stopped) return;
        self->look(clock::now());
        wait(std::move(self));
    });
}

void loop_watchdog::state::look(clock::time_point now) {
    const auto h = monitor.health(now);
    if (awaiting_stack) {
        const auto frames = sampler.take();
        if (!frames.empty() || now >= *awaiting_stack) tell_stall(frames, now);
    }
    switch (stalls.look(now, monitor.last_turn())) {
        case stall_watch::change::begun:
            on_stall(now);
            break;
        case stall_watch::change::ended:
            tell_stall_end();
            break;
        case stall_watch::change::none:
            break;
    }
    update_gate(h, now);
    tell_line(h, now);
}

void loop_watchdog::state::on_stall(clock::time_point now) {
    stall_told = stall_limit.allow(now);
    if (!stall_told) return;
    if (!symbols) symbols.emplace();
    if (sampler.ask()) {
        awaiting_stack = now + longest_wait_for_stack;
    } else {
        tell_stall({}, now);
    }
}

void loop_watchdog::state::tell_stall(const std::vector<void*>& frames, clock::time_point now) {
    awaiting_stack.reset();
    const auto h = monitor.health(now);
    // A loop that waits though its timer is due has not been let run.
    const bool waits = h.turn == std::chrono::nanoseconds{0};
    event e{level::error, "loop_stalled"};
    e.with("stalled_ms", ms(now - monitor.last_turn()))
        .with("cause", options.throttled() ? "throttled"
                       : waits             ? "not_running"
                                           : "blocked");
    if (!h.route.empty()) e.with("route", h.route);
    e.with("stack", frames.empty() ? std::string{"unknown"} : stack_text(frames, *symbols));
    if (const auto left_out = stall_limit.take_suppressed(); left_out != 0)
        e.with("suppressed", left_out);
    told.observe(e);
}

void loop_watchdog::state::tell_stall_end() {
    if (!std::exchange(stall_told, false)) return;
    // Over before its stack came: the begin is told first all the same.
    if (awaiting_stack) tell_stall(sampler.take(), clock::now());
    told.observe(
        event{level::warning, "loop_stall_ended"}.with("duration_ms", ms(stalls.last_length())));
}

void loop_watchdog::state::update_gate(const loop_health& h, clock::time_point now) {
    if (!gate.update(now, h.window.p99)) return;
    ready.set_delayed(gate.high());
    event e{gate.high() ? level::warning : level::info,
            gate.high() ? "loop_delay_high" : "loop_delay_normal"};
    e.with("p99_ms", ms(h.window.p99)).with("utilisation", h.utilisation);
    if (gate.high()) e.with("throttled", options.throttled());
    told.observe(e);
}

void loop_watchdog::state::tell_line(const loop_health& h, clock::time_point now) {
    if (options.log_every == std::chrono::milliseconds{0} || now < next_line) return;
    // The first look only sets the time.
    if (next_line != clock::time_point{}) {
        event e{level::info, "loop"};
        e.with("p50_ms", ms(h.window.p50))
            .with("p99_ms", ms(h.window.p99))
            .with("max_ms", ms(h.window.max))
            .with("mean_ms", ms(h.window.mean))
            .with("utilisation", h.utilisation)
            .with("turns", h.turns - turns_at_line)
            .with("throttled", options.throttled());
        if (options.exports_running) e.with("exports", options.exports_running());
        told.observe(e);
    }
    next_line = now + options.log_every;
    turns_at_line = h.turns;
}

loop_watchdog::loop_watchdog(const boost::asio::any_io_executor& executor,
                             const loop_monitor& monitor, pthread_t watched, readiness& ready,
                             observer& told, loop_watchdog_options options)
    : state_{std::make_shared<state>(executor, monitor, watched, ready, told, std::move(options))} {
}

loop_watchdog::~loop_watchdog() {
    stop();
}

void loop_watchdog::start() {
    state::wait(state_);
}

void loop_watchdog::stop() {
    state_->stopped = true;
    state_->timer.cancel();
}

stall_counts loop_watchdog::stalls() const {
    return state_->stalls.counts();
}

}  // namespace exportd::observe
