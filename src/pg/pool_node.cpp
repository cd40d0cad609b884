#include <exportd/pg/pool_node.hpp>

#include <algorithm>
#include <utility>

namespace exportd::pg {

pool_node::pool_node(limits l) : limits_(l) {
}

pool_node::acquired pool_node::acquire(time_point now) {
    if (shut_) return {answer::shutting_down};
    if (idle_ > 0) {
        --idle_;
        ++leased_;
        return {answer::lease_idle};
    }
    if (failing() && leased_ == 0 && connecting_ == 0 && now < retry_) return {answer::unavailable};
    waiters_.push_back(++last_id_);
    want(leased_ + waiters_.size());
    return {answer::wait, last_id_};
}

void pool_node::forget(waiter id) {
    std::erase(waiters_, id);
}

void pool_node::want(std::size_t connections) noexcept {
    wanted_ = std::max(wanted_, std::min(connections, limits_.size));
}

std::size_t pool_node::missing() const noexcept {
    const auto alive = idle_ + leased_ + connecting_;
    return shut_ || alive >= wanted_ ? 0 : wanted_ - alive;
}

std::size_t pool_node::start_connects(time_point now) {
    auto count = missing();
    // While the server can't be reached one attempt at a time is enough to see it come back.
    if (failing()) count = now < retry_ || connecting_ > 0 ? 0 : std::min<std::size_t>(count, 1);
    connecting_ += count;
    return count;
}

std::optional<pool_node::time_point> pool_node::retry_at() const {
    if (!failing() || connecting_ > 0 || missing() == 0) return std::nullopt;
    return retry_;
}

pool_node::placed pool_node::connected() {
    --connecting_;
    failures_ = 0;
    return place_one();
}

std::vector<pool_node::waiter> pool_node::connect_failed(time_point now, double jitter) {
    --connecting_;
    const auto doublings = std::min<std::size_t>(failures_++, 16);
    const auto full = std::min<std::chrono::milliseconds>(limits_.first_backoff * (1L << doublings),
                                                          limits_.longest_backoff);
    const std::chrono::duration<double, std::milli> pause = full * (1.0 - jitter / 2);
    backoff_ = std::chrono::duration_cast<std::chrono::milliseconds>(pause);
    retry_ = now + backoff_;
    if (idle_ + leased_ + connecting_ > 0) return {};
    return take_waiters();
}

pool_node::placed pool_node::returned() {
    --leased_;
    return place_one();
}

void pool_node::dropped() {
    --leased_;
}

void pool_node::idle_lost() {
    --idle_;
}

std::vector<pool_node::waiter> pool_node::shut() {
    shut_ = true;
    idle_ = 0;
    return take_waiters();
}

pool_node::placed pool_node::place_one() {
    if (shut_) return {place::close};
    if (waiters_.empty()) {
        ++idle_;
        return {place::idle};
    }
    const auto id = waiters_.front();
    waiters_.pop_front();
    ++leased_;
    return {place::waiter, id};
}

std::vector<pool_node::waiter> pool_node::take_waiters() {
    std::vector<waiter> all{waiters_.begin(), waiters_.end()};
    waiters_.clear();
    return all;
}

}  // namespace exportd::pg
