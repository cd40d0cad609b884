#pragma once

#include <boost/asio/awaitable.hpp>

namespace exportd::rows {

// Portions out a loop's time to those who have much work on it. Loop thread only.
class turns {
public:
    virtual ~turns() = default;

    // Resumes when it is the caller's turn to work without a pause, for about a millisecond at
    // most; the turn ends when the caller waits for something. Throws boost::system::system_error
    // with operation_aborted when the waiting coroutine is cancelled.
    virtual boost::asio::awaitable<void> next() = 0;
};

}  // namespace exportd::rows
