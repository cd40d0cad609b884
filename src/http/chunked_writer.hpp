#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/rows/byte_sink.hpp>

#include <boost/asio/ip/tcp.hpp>

#include "head.hpp"
#include <string>

namespace exportd::http {

// What the session learns of a streamed answer.
struct stream_progress {
    bool started = false;   // bytes of the answer may have left
    bool finished = false;  // it is complete
    bool writing = false;   // a write waits for the client
};

// A response body of known length as it is, any other in chunks (RFC 9112 section 7.1), or for
// HTTP/1.0 up to the end of the connection. The head leaves together with the first chunk.
//
// A body that is not finished ends in a reset of the connection (SO_LINGER 0): without chunks
// a plain close would look like the end of the file.
class chunked_writer final : public rows::byte_sink {
public:
    // The socket and the progress outlive the writer.
    chunked_writer(boost::asio::ip::tcp::socket& socket, stream_progress& progress,
                   stream_head head, const answer_context& context,
                   exchange::make_trailers trailers);
    ~chunked_writer() override;

    boost::asio::awaitable<void> write(rows::byte_buffer& chunk) override;
    boost::asio::awaitable<void> finish(rows::totals sent) override;
    void abort() noexcept override;

private:
    void reset_on_close(bool on) noexcept;

    template <class Buffers>
    boost::asio::awaitable<void> send(Buffers buffers);

    boost::asio::ip::tcp::socket& socket_;
    stream_progress& progress_;
    std::string head_;  // serialized; empty once it is sent
    bool chunked_;
    std::optional<std::uint64_t> left_;  // bytes of a known length that have not been written
    exchange::make_trailers trailers_;
};

}  // namespace exportd::http
