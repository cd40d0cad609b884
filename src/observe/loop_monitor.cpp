#include <exportd/observe/loop_monitor.hpp>

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

namespace exportd::observe {

struct loop_monitor::state {
    state(const boost::asio::any_io_executor& loop, std::chrono::milliseconds step)
        : timer{loop}, resolution{step}, delays{step} {}

    static void wait(std::shared_ptr<state> self) {
        const auto due = clock::now() + self->resolution;
        boost::asio::steady_timer& timer = self->timer;
        timer.expires_at(due);
        timer.async_wait([self = std::move(self), due](boost::system::error_code error) mutable {
            if (error || self->stopped) return;
            const auto now = clock::now();
            self->delays.tick(due, now);
            self->last_turn = now.time_since_epoch().count();
            wait(std::move(self));
        });
    }

    boost::asio::steady_timer timer;
    std::chrono::milliseconds resolution;
    delay_window delays;
    bool stopped = false;
    std::atomic<clock::rep> last_turn{clock::now().time_since_epoch().count()};
};

loop_monitor::loop_monitor(const boost::asio::any_io_executor& loop,
                           std::chrono::milliseconds resolution)
    : state_{std::make_shared<state>(loop, std::max(resolution, std::chrono::milliseconds{1}))} {
}

loop_monitor::~loop_monitor() {
    stop();
}

void loop_monitor::start() {
    state::wait(state_);
}

void loop_monitor::stop() {
    state_->stopped = true;
    state_->timer.cancel();
}

delay_summary loop_monitor::summary() const {
    return state_->delays.summary(clock::now());
}

const delay_histogram& loop_monitor::total() const {
    return state_->delays.total();
}

loop_monitor::clock::time_point loop_monitor::last_turn() const noexcept {
    return clock::time_point{clock::duration{state_->last_turn}};
}

}  // namespace exportd::observe
