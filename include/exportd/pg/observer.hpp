#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace exportd::pg {

// A pool's connections by state, and the requests that wait for one.
struct pool_counts {
    std::size_t size, idle, leased, connecting, waiting;
};

// Told of what is worth noticing about the database's connections; never of SQL or of a
// parameter's value. Called on the loop thread; must outlive the pool and must not throw.
class observer {
public:
    virtual ~observer() = default;

    virtual void connection_opened(int /*backend_pid*/,
                                   std::chrono::milliseconds /*took*/) noexcept {}
    // The pool's counts may have changed.
    virtual void pool_changed(const pool_counts& /*now*/) noexcept {}
    // A connection that was open is gone, wanted or not.
    virtual void connection_lost(int /*backend_pid*/, std::string_view /*reason*/) noexcept {}
    // Connecting failed; the next try comes after `pause`.
    virtual void backing_off(std::chrono::milliseconds /*pause*/,
                             std::string_view /*reason*/) noexcept {}
    // A query was ended with a cancel request and its connection is given up.
    virtual void query_cancelled(int /*backend_pid*/) noexcept {}
    // A message the server sent beside a result. The text is the server's, without detail.
    virtual void notice(std::string_view /*severity*/, std::string_view /*text*/) noexcept {}
};

}  // namespace exportd::pg
