#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace exportd::pg {

// A deadline that is cheap to move: one timer looks at it when the timer fires, and is set
// again only when the deadline comes sooner than that. Used on the executor's thread.
class deadline_watch {
public:
    using time_point = std::chrono::steady_clock::time_point;
    static constexpr time_point never = time_point::max();

    // `on_expiry` is called on the executor, once for each deadline that passes.
    deadline_watch(boost::asio::any_io_executor executor, std::function<void()> on_expiry);
    ~deadline_watch();
    deadline_watch(const deadline_watch&) = delete;
    deadline_watch& operator=(const deadline_watch&) = delete;

    void begin(time_point deadline);

    // Ends the watch; true when its deadline passed before.
    bool end() noexcept;

private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace exportd::pg
