#pragma once

#include <exportd/http/message.hpp>
#include <exportd/rows/byte_sink.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace exportd::http {

// What may end a transfer from outside.
struct transfer_limits {
    std::chrono::milliseconds stall_timeout{0};  // the client takes nothing for so long; 0: none
    std::chrono::milliseconds deadline{0};       // of the whole transfer; 0: none
};

// One request and the way to answer it. Exactly one of reply(), reply_head() and stream() is
// used, once. Lives as long as the endpoint's serve() runs. Loop thread only.
class exchange {
public:
    virtual ~exchange() = default;

    virtual const http::request& request() const noexcept = 0;

    // Sends a whole answer. For HEAD the body is left out and counted.
    virtual boost::asio::awaitable<void> reply(response r) = 0;

    // Sends what stream() would send first, and nothing after it: the answer to HEAD.
    virtual boost::asio::awaitable<void> reply_head(stream_head head) = 0;

    // A sink that sends the head together with the first chunk. Aborted, it resets the connection
    // if anything was sent. finish() adds `trailers`' fields if the answer can have trailers, and
    // throws std::logic_error if a known length was not reached.
    using make_trailers = std::function<std::vector<header_field>(const rows::totals&)>;
    virtual std::unique_ptr<rows::byte_sink> stream(stream_head head, make_trailers trailers) = 0;

    // Tells the loop's meter that the running turn works for this request. For where much work
    // begins after a wait; a turn forgets it at its end.
    virtual void claim_turn() noexcept = 0;

    // Whether anything of an answer has left, so that no other one can be given.
    virtual bool answered() const noexcept = 0;

    // Runs `work` and cancels it when the client leaves, a limit is passed or the server cuts
    // what still runs at the end of its drain. Then, and only then, it throws
    // boost::system::system_error with errc client_gone, stalled, export_deadline or
    // shutting_down; otherwise what the work throws.
    virtual boost::asio::awaitable<void> guard(boost::asio::awaitable<void> work,
                                               transfer_limits limits) = 0;
};

// Answers the requests of one route.
class endpoint {
public:
    virtual ~endpoint() = default;
    virtual boost::asio::awaitable<void> serve(exchange& x) = 0;
};

}  // namespace exportd::http
