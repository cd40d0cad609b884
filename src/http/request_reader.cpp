#include "request_reader.hpp"

#include <exportd/http/target.hpp>

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

#include "deadline.hpp"
#include <algorithm>
#include <string>

namespace exportd::http {
namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

using parser = beast::http::request_parser<beast::http::empty_body>;
using error_code = boost::system::error_code;

// Longest request target that is taken; RFC 9112 section 3 asks for at least 8000 bytes.
constexpr std::size_t longest_target = 8 * 1024;

asio::awaitable<error_code> wait_for_bytes(asio::ip::tcp::socket& socket) {
    const auto [ec] = co_await socket.async_wait(asio::socket_base::wait_read,
                                                 asio::as_tuple(asio::use_awaitable));
    co_return ec;
}

asio::awaitable<error_code> read_header(asio::ip::tcp::socket& socket, beast::flat_buffer& buffer,
                                        parser& p) {
    const auto [ec, bytes] = co_await beast::http::async_read_header(
        socket, buffer, p, asio::as_tuple(asio::use_awaitable));
    co_return ec;
}

problem make(unsigned status, std::string_view code, std::string_view detail) {
    auto p = bad_request(code, detail);
    p.status = status;
    return p;
}

problem too_large(const parser& p) {
    // The parser takes the first line as soon as it is whole.
    if (p.get().target().empty()) return make(414, "uri_too_long", "The address is too long.");
    return make(431, "header_too_large", "The request's header is too large.");
}

// A problem for what can be answered; nothing for a connection that has ended.
std::optional<problem> problem_of_read(const error_code& ec, const parser& p) {
    if (ec == beast::http::error::header_limit || ec == beast::http::error::buffer_overflow) {
        return too_large(p);
    }
    if (ec == beast::http::error::end_of_stream || ec == beast::http::error::partial_message)
        return std::nullopt;
    if (ec.category() == make_error_code(beast::http::error::bad_method).category()) {
        return bad_request("bad_request", "This is not a well-formed HTTP request.");
    }
    return std::nullopt;
}

// Rules of RFC 9112 that the parser leaves to us: section 3.2 (Host), 6.1 and 6.3 (framing).
std::optional<problem> check_head(const parser& p) {
    const auto& head = p.get();
    using beast::http::field;
    if (head.version() != 10 && head.version() != 11) {
        return make(505, "http_version_not_supported",
                    "This service speaks HTTP/1.1 and HTTP/1.0.");
    }
    const auto hosts = head.count(field::host);
    if (hosts > 1 || (hosts == 0 && head.version() == 11)) {
        return bad_request("bad_request", "A request needs exactly one Host field.");
    }
    const bool coded = head.count(field::transfer_encoding) != 0;
    if (coded && (head.count(field::content_length) != 0 || head.version() == 10)) {
        return bad_request("bad_request",
                           "Transfer-Encoding does not go with Content-Length or HTTP/1.0.");
    }
    if (coded && !p.chunked()) {
        return bad_request("bad_request", "The last Transfer-Encoding has to be chunked.");
    }
    const bool body = coded || p.content_length().value_or(0) != 0;
    if (body &&
        (head.method() == beast::http::verb::get || head.method() == beast::http::verb::head)) {
        return bad_request("bad_request", "A request with this method takes no body.");
    }
    if (head.target().size() > longest_target)
        return make(414, "uri_too_long", "The address is too long.");
    return std::nullopt;
}

bool is_request_id(std::string_view id) {
    return !id.empty() && id.size() <= 128 && std::all_of(id.begin(), id.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    });
}

std::string address_of(const asio::ip::tcp::socket& socket) {
    error_code ec;
    const auto remote = socket.remote_endpoint(ec);
    return ec ? std::string{} : remote.address().to_string();
}

std::string field_value(const parser& p, std::string_view name) {
    const auto found = p.get().find(name);
    return found == p.get().end() ? std::string{} : std::string{found->value()};
}

read_outcome take(const parser& p, const asio::ip::tcp::socket& socket) {
    read_outcome out;
    request r;
    r.method = std::string{p.get().method_string()};
    r.http_1_0 = p.get().version() == 10;
    r.client = address_of(socket);
    r.request_id = field_value(p, "X-Request-Id");
    if (!is_request_id(r.request_id))
        r.request_id = to_string(boost::uuids::random_generator_pure{}());
    r.accept = field_value(p, "Accept");
    r.want_repr_digest = field_value(p, "Want-Repr-Digest");
    // A body is never read here, so what follows it on the connection can't be told apart.
    const bool body = p.get().count(beast::http::field::transfer_encoding) != 0 ||
                      p.content_length().value_or(0) != 0;
    out.keep_alive = p.keep_alive() && !r.http_1_0 && !body;

    out.problem = check_head(p);
    auto parsed = parse_target(std::string_view{p.get().target().data(), p.get().target().size()});
    if (!out.problem && !parsed) {
        out.problem = bad_request("malformed_target", "The address is not a well-formed one.");
    }
    if (out.problem) out.keep_alive = false;
    if (parsed) {
        r.path = std::move(parsed->path);
        r.query = std::move(parsed->query);
    }
    out.head = std::move(r);
    return out;
}

}  // namespace

asio::awaitable<read_outcome> read_request(asio::ip::tcp::socket& socket,
                                           beast::flat_buffer& buffer, read_limits limits,
                                           bool& idle) {
    using clock = std::chrono::steady_clock;
    read_outcome ended;
    if (buffer.size() == 0) {
        buffer.shrink_to_fit();
        idle = true;
        const auto ready =
            co_await with_deadline(wait_for_bytes(socket), clock::now() + limits.keepalive_timeout);
        idle = false;
        if (!ready || *ready) co_return ended;
    }
    parser p;
    p.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    p.body_limit(boost::none);
    buffer.max_size(limits.header_bytes + 4096);
    const auto ec = co_await with_deadline(read_header(socket, buffer, p),
                                           clock::now() + limits.header_timeout);
    if (!ec) {
        ended.problem = make(408, "header_timeout", "The request did not arrive in time.");
    } else if (*ec) {
        ended.problem = problem_of_read(*ec, p);
    } else {
        co_return take(p, socket);
    }
    co_return ended;
}

}  // namespace exportd::http
