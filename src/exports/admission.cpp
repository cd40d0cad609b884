#include <exportd/exports/admission.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace exportd::exports {
namespace asio = boost::asio;

struct admission::queued::timer {
    asio::steady_timer deadline;
};

admission::admission(asio::any_io_executor loop, admission_limits limits,
                     std::function<void()> changed)
    : loop_{std::move(loop)},
      limits_{limits},
      changed_{std::move(changed)},
      queue_{limits.most_running, limits.most_waiting, limits.most_for_client} {
}

admission::~admission() = default;

admission::decision admission::enter(std::string client) {
    const auto entered = queue_.enter(client);
    switch (entered.what) {
        case admission_queue::answer::too_many_for_client:
            return refusal::too_many_for_client;
        case admission_queue::answer::queue_full:
            return refusal::queue_full;
        case admission_queue::answer::runs:
            changed_();
            return ticket{*this, std::move(client)};
        case admission_queue::answer::waits:
            break;
    }
    std::unique_ptr<queued> waiting{new queued{*this, std::move(client), entered.at}};
    if (closed_) return refusal::closing;
    places_.emplace(entered.at, waiting.get());
    changed_();
    return waiting;
}

void admission::close() {
    closed_ = true;
    for (const auto& [at, waiting] : places_)
        waiting->wake();
}

void admission::leave(const std::string& client) {
    if (const auto next = queue_.leave(client)) {
        const auto at = places_.find(*next);
        at->second->granted_ = true;
        at->second->wake();
        places_.erase(at);
    }
    changed_();
}

admission::ticket::~ticket() {
    if (owner_ != nullptr) owner_->leave(client_);
}

admission::queued::queued(admission& owner, std::string client, admission_queue::place at)
    : owner_{owner},
      client_{std::move(client)},
      at_{at},
      timer_{new timer{asio::steady_timer{owner.loop_, owner.limits_.wait}}} {
}

admission::queued::~queued() {
    if (granted_) {
        owner_.leave(client_);
        return;
    }
    owner_.places_.erase(at_);
    owner_.queue_.give_up(at_);
    owner_.changed_();
}

void admission::queued::wake() {
    timer_->deadline.expires_at(asio::steady_timer::time_point::min());
}

asio::awaitable<std::variant<admission::ticket, admission::refusal>> admission::queued::wait() {
    const auto [ec] = co_await timer_->deadline.async_wait(asio::as_tuple(asio::use_awaitable));
    if (granted_) {
        granted_ = false;
        at_ = 0;
        co_return ticket{owner_, client_};
    }
    if (owner_.closed_) co_return refusal::closing;
    if (ec) throw boost::system::system_error{asio::error::operation_aborted};
    co_return refusal::queue_timeout;
}

}  // namespace exportd::exports
