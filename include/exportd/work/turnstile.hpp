#pragma once

#include <exportd/rows/turns.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

namespace exportd::work {

// Lets callers work for about half a millisecond in each pass of the loop, in the order of asking.
// In between the loop looks for what else is ready and runs it: however many callers have work, all
// others wait for no more than that and one turn. Outlives those who wait. Loop thread only.
class turnstile final : public rows::turns {
public:
    using clock = std::chrono::steady_clock;

    // `now` tells the time.
    explicit turnstile(boost::asio::any_io_executor loop,
                       std::function<clock::time_point()> now = clock::now);
    ~turnstile() override;

    boost::asio::awaitable<void> next() override;

    std::size_t waiting() const noexcept { return queue_.size(); }

private:
    struct waiter;
    class place;

    void take();
    void pass_on();

    boost::asio::any_io_executor loop_;
    std::deque<waiter*> queue_;
    std::function<clock::time_point()> now_;
    bool taken_ = false;
    clock::time_point began_{};  // the first turn of this pass
    // Says to a handler that is still to come whether this is still there.
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace exportd::work
