#pragma once

#include <exportd/http/message.hpp>
#include <exportd/http/problem.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <chrono>
#include <cstddef>
#include <optional>

namespace exportd::http {

struct read_limits {
    std::size_t header_bytes = 16 * 1024;
    std::chrono::milliseconds header_timeout{10'000};     // for the whole header, then for the body
    std::chrono::milliseconds keepalive_timeout{75'000};  // for its first byte
};

// What came of waiting for a request: the request, a problem to answer before the connection is
// closed, or neither when it has ended.
struct read_outcome {
    std::optional<request> head;
    bool keep_alive = false;
    std::optional<http::problem> problem;
};

// Reads one request. `buffer` belongs to the connection and keeps what follows it.
// `idle` is true while nothing of a request has come. A cancelled socket ends it quietly.
boost::asio::awaitable<read_outcome> read_request(boost::asio::ip::tcp::socket& socket,
                                                  boost::beast::flat_buffer& buffer,
                                                  read_limits limits, bool& idle);

}  // namespace exportd::http
