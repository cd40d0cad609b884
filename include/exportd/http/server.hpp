#pragma once

#include <exportd/http/lifecycle.hpp>
#include <exportd/http/router.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/observe/gauges.hpp>
#include <exportd/observe/turn_meter.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <memory>

namespace exportd::http {

struct server_options {
    boost::asio::ip::tcp::endpoint listen;
    std::size_t max_connections = 4096;
    std::size_t max_header_bytes = 16 * 1024;
    std::size_t send_buffer = 0;  // SO_SNDBUF of each connection, bytes; 0: the kernel's choice
    std::chrono::milliseconds header_timeout{10'000};
    std::chrono::milliseconds keepalive_timeout{75'000};
    std::chrono::milliseconds write_timeout{60'000};  // of an answer that is not streamed
    gate* before = nullptr;  // of all routes; null: everybody passes; outlives the server
    observe::gauge* connections = nullptr;  // kept at the number that are open; outlives the server
};

// Accepts connections and runs a session for each. Loop thread only. The references outlive it,
// and it outlives run() of the io_context.
class server {
public:
    server(boost::asio::io_context& loop, server_options options, const router& routes,
           lifecycle& life, observe::observer& observer, observe::turn_meter& turns);
    ~server();
    server(const server&) = delete;
    server& operator=(const server&) = delete;

    // Takes the address, without serving it. Throws boost::system::system_error, for instance
    // with errc::address_in_use.
    void bind();

    // Listens and accepts from now on; after bind(). Throws boost::system::system_error.
    void start();

    // The address in use, with the port that was chosen for port 0.
    boost::asio::ip::tcp::endpoint local_endpoint() const;

    // Ends the service in order: nothing new is begun, the listener stays open for `delay` so
    // that balancers notice, and what still runs `limit` later is cut.
    // Returns when no session is left.
    boost::asio::awaitable<void> drain(std::chrono::milliseconds delay,
                                       std::chrono::milliseconds limit);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace exportd::http
