#pragma once

#include <exportd/pg/connection.hpp>

#include <cstddef>
#include <memory>

namespace exportd::pg {

// Sends cancel requests on threads of its own, because libpq's call blocks: for minutes when
// the server's machine is gone. A few threads, made when they are needed, so that one request
// that hangs does not hold up the rest; requests beyond a bound are dropped, the oldest first.
// Thread-safe.
class canceller {
public:
    explicit canceller(std::size_t most_threads = 4, std::size_t most_waiting = 64);

    // Waits up to a second for requests on their way. One that hangs longer is left behind
    // with nothing but its own memory.
    ~canceller();
    canceller(const canceller&) = delete;
    canceller& operator=(const canceller&) = delete;

    void cancel(cancel_handle handle);

private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace exportd::pg
