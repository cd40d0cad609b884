#include <exportd/pg/deadline_watch.hpp>

#include <boost/asio/steady_timer.hpp>

#include <utility>

namespace exportd::pg {

struct deadline_watch::state {
    state(boost::asio::any_io_executor executor, std::function<void()> expiry)
        : timer(std::move(executor)), on_expiry(std::move(expiry)) {}

    static void arm(const std::shared_ptr<state>& self) {
        self->armed_for = self->deadline;
        self->timer.expires_at(self->deadline);
        self->timer.async_wait([weak = std::weak_ptr<state>(self)](boost::system::error_code ec) {
            const auto s = weak.lock();
            if (s && !ec) look(s);
        });
    }

    static void look(const std::shared_ptr<state>& self) {
        self->armed_for = never;
        if (self->deadline == never) return;
        if (std::chrono::steady_clock::now() < self->deadline) return arm(self);
        self->deadline = never;
        self->expired = true;
        self->on_expiry();
    }

    boost::asio::steady_timer timer;
    std::function<void()> on_expiry;
    time_point deadline = never;
    time_point armed_for = never;  // when the timer fires; never: it is not set
    bool expired = false;
};

deadline_watch::deadline_watch(boost::asio::any_io_executor executor,
                               std::function<void()> on_expiry)
    : state_(std::make_shared<state>(std::move(executor), std::move(on_expiry))) {
}

deadline_watch::~deadline_watch() {
    state_->deadline = never;
}

void deadline_watch::begin(time_point deadline) {
    state_->deadline = deadline;
    state_->expired = false;
    if (deadline < state_->armed_for) state::arm(state_);
}

bool deadline_watch::end() noexcept {
    state_->deadline = never;
    return std::exchange(state_->expired, false);
}

}  // namespace exportd::pg
