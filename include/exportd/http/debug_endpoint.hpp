#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/work/worker_pool.hpp>

namespace exportd::http {

// GET /debug/block?ms=N: does what no handler may, and occupies the loop's thread for N
// milliseconds (1 to 60000) before it answers. For tests and demonstrations; debug.routes makes
// it exist.
class block_endpoint final : public endpoint {
public:
    boost::asio::awaitable<void> serve(exchange& x) override;
};

// GET /debug/work?ms=N: the same work where it belongs, on a thread of the pool. Ends early when
// the client leaves; 503 when as many tasks wait as may.
class work_endpoint final : public endpoint {
public:
    // The pool outlives it.
    explicit work_endpoint(work::worker_pool& pool) : pool_{pool} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    work::worker_pool& pool_;
};

}  // namespace exportd::http
