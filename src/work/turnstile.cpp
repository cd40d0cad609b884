#include <exportd/work/turnstile.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>

namespace exportd::work {
namespace asio = boost::asio;

namespace {

constexpr std::chrono::microseconds share_of_pass{500};

}  // namespace

// A timer that never expires, as what can be waited for and cancelled.
struct turnstile::waiter {
    asio::steady_timer timer;
    bool granted = false;
};

// A place in the queue for as long as the waiting coroutine's frame lives.
class turnstile::place {
public:
    place(std::deque<waiter*>& queue, waiter& w) : queue_{queue}, waiter_{w} {
        queue_.push_back(&waiter_);
    }
    ~place() {
        if (!waiter_.granted) std::erase(queue_, &waiter_);
    }
    place(const place&) = delete;
    place& operator=(const place&) = delete;

private:
    std::deque<waiter*>& queue_;
    waiter& waiter_;
};

turnstile::turnstile(asio::any_io_executor loop, std::function<clock::time_point()> now)
    : loop_{std::move(loop)}, now_{std::move(now)} {
}

turnstile::~turnstile() {
    *alive_ = false;
}

asio::awaitable<void> turnstile::next() {
    if (!taken_) {
        take();
        co_return;
    }
    // Short turns follow each other in one pass: a pass costs a look at the kernel.
    if (queue_.empty() && now_() - began_ < share_of_pass) co_return;
    waiter own{asio::steady_timer{loop_, asio::steady_timer::time_point::max()}};
    const place held{queue_, own};
    co_await own.timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (!own.granted) throw boost::system::system_error{asio::error::operation_aborted};
}

// What is posted runs in the loop's next pass, after the turn and after what was ready meanwhile.
void turnstile::take() {
    taken_ = true;
    began_ = now_();
    asio::post(loop_, [this, alive = alive_] {
        if (*alive) pass_on();
    });
}

void turnstile::pass_on() {
    taken_ = false;
    if (queue_.empty()) return;
    waiter& next = *queue_.front();
    queue_.pop_front();
    next.granted = true;
    next.timer.cancel();
    take();
}

}  // namespace exportd::work
