#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/http/lifecycle.hpp>
#include <exportd/http/router.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/turn_meter.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "chunked_writer.hpp"
#include "request_reader.hpp"

namespace exportd::http {

// One client's connection: reads a request, has it answered, and so on until either side ends
// it. Whatever goes wrong ends this session only.
class session {
public:
    // The references outlive the session.
    session(boost::asio::ip::tcp::socket socket, const router& routes, gate* before,
            const lifecycle& life, observe::observer& observer, observe::turn_meter& turns,
            read_limits limits, std::chrono::milliseconds write_timeout);

    boost::asio::awaitable<void> run();

    // Ends the session if it only waits for a next request.
    void close_if_idle() noexcept;

    // Ends it whatever it does.
    void close_now() noexcept;

private:
    class request_exchange;

    boost::asio::awaitable<bool> serve_one();
    boost::asio::awaitable<void> serve(request_exchange& x);
    boost::asio::awaitable<bool> pass_gate(request_exchange& x, audience whom);
    void tell_answer(const std::string* route, unsigned status);
    boost::asio::awaitable<bool> send(response r, answer_context context, bool head_only);
    boost::asio::awaitable<void> close_gently();

    boost::asio::ip::tcp::socket socket_;
    const router& routes_;
    gate* gate_;  // null: everybody passes
    const lifecycle& life_;
    observe::observer& observer_;
    observe::turn_meter& turns_;
    read_limits limits_;
    std::chrono::milliseconds write_timeout_;
    boost::beast::flat_buffer buffer_;
    bool idle_ = false;
};

}  // namespace exportd::http
