#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/observe/readiness.hpp>

#include <chrono>
#include <functional>

namespace exportd::http {

// GET /readyz: 200, or 503 while new work should go elsewhere. The JSON object in the answer has
// `ready` and, as an array, the `reasons` why not; see observe::readiness.
class ready_endpoint final : public endpoint {
public:
    explicit ready_endpoint(const observe::readiness& readiness) : readiness_{readiness} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    const observe::readiness& readiness_;
};

// GET /healthz on a thread beside the loop: 200 while the loop turns, 503 once it has not for
// longer than `limit`.
class alive_endpoint final : public endpoint {
public:
    using clock = std::chrono::steady_clock;

    // `last_turn` is called on the thread that serves.
    alive_endpoint(std::function<clock::time_point()> last_turn, std::chrono::milliseconds limit)
        : last_turn_{std::move(last_turn)}, limit_{limit} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    std::function<clock::time_point()> last_turn_;
    std::chrono::milliseconds limit_;
};

// GET /healthz on the loop itself: 200 while it turns, for it is the loop that answers.
class health_endpoint final : public endpoint {
public:
    boost::asio::awaitable<void> serve(exchange& x) override;
};

}  // namespace exportd::http
