#include <exportd/observe/loop_monitor.hpp>
#include <exportd/observe/slow_turns.hpp>
#include <exportd/observe/utilisation_window.hpp>

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace exportd::observe {

struct loop_monitor::state {
    struct tick {
        clock::time_point due;
        clock::time_point ran;
    };

    state(const boost::asio::any_io_executor& loop, observer& told, loop_monitor_options o)
        : timer{loop},
          resolution{std::max(o.resolution, std::chrono::milliseconds{1})},
          slow{told},
          turns{o.slow_turn, [this](const std::string* route,
                                    clock::duration took) { slow.add(route, took, clock::now()); }},
          delays{resolution} {}

    static void wait(std::shared_ptr<state> self, clock::time_point due) {
        boost::asio::steady_timer& timer = self->timer;
        timer.expires_at(due);
        timer.async_wait([self = std::move(self), due](boost::system::error_code error) mutable {
            if (error || self->stopped) return;
            const auto now = clock::now();
            const auto next = now + self->resolution;
            self->record({due, now}, next);
            self->last_turn = now.time_since_epoch().count();
            wait(std::move(self), next);
        });
    }

    // A reader that holds the lock makes no loop wait: what it keeps out is recorded next time.
    void record(tick t, clock::time_point next) {
        unrecorded.push_back(t);
        const std::unique_lock lock{mutex, std::try_to_lock};
        if (!lock) return;
        for (const auto& u : unrecorded)
            delays.tick(u.due, u.ran);
        unrecorded.clear();
        load.sample(t.ran, turns.read(t.ran).busy);
        next_due = next;
    }

    boost::asio::steady_timer timer;
    std::chrono::milliseconds resolution;
    slow_turns slow;
    turn_meter turns;
    bool stopped = false;
    std::vector<tick> unrecorded;
    std::atomic<clock::rep> last_turn{clock::now().time_since_epoch().count()};

    // Written on the loop's thread under the lock: that thread reads them without it.
    mutable std::mutex mutex;
    delay_window delays;
    utilisation_window load;
    clock::time_point next_due = clock::time_point::max();  // of the tick that is not recorded yet
};

loop_monitor::loop_monitor(const boost::asio::any_io_executor& loop, observer& told,
                           loop_monitor_options options)
    : state_{std::make_shared<state>(loop, told, options)} {
}

loop_monitor::~loop_monitor() {
    stop();
}

void loop_monitor::start() {
    meter_of_this_thread = &state_->turns;
    const auto due = clock::now() + state_->resolution;
    {
        const std::lock_guard lock{state_->mutex};
        state_->next_due = due;
    }
    state::wait(state_, due);
}

void loop_monitor::stop() {
    if (meter_of_this_thread == &state_->turns) meter_of_this_thread = nullptr;
    state_->stopped = true;
    state_->timer.cancel();
    const std::lock_guard lock{state_->mutex};
    state_->next_due = clock::time_point::max();
}

delay_summary loop_monitor::summary() const {
    return state_->delays.summary(clock::now());
}

const delay_histogram& loop_monitor::total() const {
    return state_->delays.total();
}

double loop_monitor::utilisation() const {
    const auto now = clock::now();
    return state_->load.ratio(now, state_->turns.read(now).busy);
}

turn_meter& loop_monitor::turns() noexcept {
    return state_->turns;
}

loop_health loop_monitor::health(clock::time_point now) const {
    const auto& s = *state_;
    std::unique_lock lock{s.mutex};
    auto delays = s.delays;
    const auto load = s.load;
    const auto due = s.next_due;
    lock.unlock();

    const auto turns = s.turns.read(now);
    loop_health h;
    h.delays = delays.total();
    // The tick that is due would run now at the earliest.
    if (now > due) delays.tick(due, now);
    h.window = delays.summary(now);
    h.utilisation = load.ratio(now, turns.busy);
    h.busy = turns.busy;
    h.turns = turns.turns;
    h.turn = turns.turn;
    if (const auto* route = s.turns.route()) h.route = *route;
    h.slow_turns = s.slow.counts();
    return h;
}

loop_monitor::clock::time_point loop_monitor::last_turn() const noexcept {
    return clock::time_point{clock::duration{state_->last_turn}};
}

}  // namespace exportd::observe
