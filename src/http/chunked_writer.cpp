#include "chunked_writer.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_cat.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/serializer.hpp>

#include <stdexcept>

namespace exportd::http {
namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

std::string serialize(beast::http::response<beast::http::empty_body> message) {
    beast::http::response_serializer<beast::http::empty_body> serializer{message};
    serializer.split(true);
    std::string text;
    beast::error_code ec;
    while (!serializer.is_header_done()) {
        serializer.next(ec, [&](beast::error_code&, const auto& buffers) {
            text += beast::buffers_to_string(buffers);
            serializer.consume(asio::buffer_size(buffers));
        });
    }
    return text;
}

}  // namespace

chunked_writer::chunked_writer(asio::ip::tcp::socket& socket, stream_progress& progress,
                               stream_head head, const answer_context& context,
                               exchange::make_trailers trailers)
    : socket_{socket},
      progress_{progress},
      head_{serialize(make_stream_head(head, context))},
      chunked_{!context.http_1_0 && !head.content_length},
      left_{head.content_length},
      trailers_{std::move(trailers)} {
}

chunked_writer::~chunked_writer() {
    if (!progress_.finished) abort();
}

template <class Buffers>
asio::awaitable<void> chunked_writer::send(Buffers buffers) {
    if (!progress_.started) reset_on_close(true);
    progress_.started = true;
    progress_.writing = true;
    if (head_.empty()) {
        co_await asio::async_write(socket_, buffers, asio::use_awaitable);
    } else {
        co_await asio::async_write(
            socket_, beast::buffers_cat(asio::const_buffer{asio::buffer(head_)}, buffers),
            asio::use_awaitable);
        head_.clear();
    }
    progress_.writing = false;
}

asio::awaitable<void> chunked_writer::write(rows::byte_buffer& chunk) {
    // An empty chunk would be the last one.
    if (chunk.empty()) co_return;
    const asio::const_buffer bytes{chunk.data(), chunk.size()};
    if (left_) {
        if (chunk.size() > *left_) throw std::logic_error{"more bytes than were announced"};
        *left_ -= chunk.size();
    }
    if (chunked_) {
        co_await send(beast::http::make_chunk(bytes));
    } else {
        co_await send(bytes);
    }
    chunk.clear();
}

asio::awaitable<void> chunked_writer::finish(rows::totals sent) {
    if (left_.value_or(0) != 0) throw std::logic_error{"fewer bytes than were announced"};
    if (chunked_) {
        beast::http::fields trailers;
        for (const auto& [name, value] : trailers_(sent))
            trailers.set(name, value);
        co_await send(beast::http::make_chunk_last(trailers));
    } else if (!head_.empty()) {
        co_await send(asio::const_buffer{});
    }
    reset_on_close(false);
    progress_.finished = true;
}

// As long as the body is not complete, whoever closes the socket resets the connection: the
// kernel too, when the process is killed.
void chunked_writer::reset_on_close(bool on) noexcept {
    boost::system::error_code ignored;
    socket_.set_option(asio::socket_base::linger{on, 0}, ignored);
}

void chunked_writer::abort() noexcept {
    if (!progress_.started || progress_.finished) return;
    boost::system::error_code ignored;
    socket_.close(ignored);
}

}  // namespace exportd::http
