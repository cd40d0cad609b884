#include "request_reader.hpp"

#include <exportd/http/target.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

#include "deadline.hpp"
#include <algorithm>
#include <string>

namespace exportd::http {
namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

using parser = beast::http::request_parser<beast::http::string_body>;
using error_code = boost::system::error_code;

// Longest request target that is taken; RFC 9112 section 3 asks for at least 8000 bytes.
constexpr std::size_t longest_target = 8 * 1024;

// Largest request body: the JSON of a job or a report is far smaller.
constexpr std::uint64_t largest_body = 64 * 1024;

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

asio::awaitable<error_code> read_body(asio::ip::tcp::socket& socket, beast::flat_buffer& buffer,
                                      parser& p) {
    // RFC 9110 section 10.1.1: who expects it sends no body before it came. HTTP/1.0 has no such
    // answer.
    if (p.get().version() == 11 &&
        beast::iequals(p.get()[beast::http::field::expect], "100-continue")) {
        constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
        const auto [ec, bytes] = co_await asio::async_write(socket, asio::buffer(go_on),
                                                            asio::as_tuple(asio::use_awaitable));
        if (ec) co_return ec;
    }
    const auto [ec, bytes] =
        co_await beast::http::async_read(socket, buffer, p, asio::as_tuple(asio::use_awaitable));
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
    if (ec == beast::http::error::body_limit) {
        return make(413, "content_too_large", "The request's body is too large.");
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
    if (coded && !beast::iequals(head[field::transfer_encoding], "chunked")) {
        return bad_request("bad_request",
                           "The only Transfer-Encoding that is understood is chunked.");
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

// RFC 9110 section 5.3: several fields of one name are one list.
std::optional<std::string> find_field(const parser& p, std::string_view name) {
    const auto [first, end] = p.get().equal_range(name);
    if (first == end) return std::nullopt;
    std::string value;
    for (auto at = first; at != end; ++at) {
        if (at != first) value += ", ";
        value += at->value();
    }
    return value;
}

std::string field_value(const parser& p, std::string_view name) {
    return find_field(p, name).value_or("");
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
    r.content_type = field_value(p, "Content-Type");
    r.idempotency_key = find_field(p, "Idempotency-Key");
    r.range = field_value(p, "Range");
    r.if_range = field_value(p, "If-Range");
    r.if_none_match = field_value(p, "If-None-Match");
    r.if_match = field_value(p, "If-Match");
    r.if_modified_since = field_value(p, "If-Modified-Since");
    r.if_unmodified_since = field_value(p, "If-Unmodified-Since");
    r.want_repr_digest = field_value(p, "Want-Repr-Digest");
    r.target = std::string{p.get().target()};
    for (const auto& field : p.get())
        r.fields.emplace_back(field.name_string(), field.value());
    out.keep_alive = p.keep_alive() && !r.http_1_0;

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

namespace {

// Adds the body to what `outcome` holds, or the problem with it.
asio::awaitable<void> add_body(asio::ip::tcp::socket& socket, beast::flat_buffer& buffer, parser& p,
                               std::chrono::milliseconds timeout, read_outcome& outcome) {
    if (outcome.problem || p.is_done()) co_return;
    const auto ec = co_await with_deadline(read_body(socket, buffer, p),
                                           std::chrono::steady_clock::now() + timeout);
    if (!ec) {
        outcome.problem = make(408, "body_timeout", "The request's body did not arrive in time.");
    } else if (*ec) {
        outcome.problem = problem_of_read(*ec, p);
        if (!outcome.problem) outcome.head.reset();
    } else {
        outcome.head->body = std::move(p.get().body());
    }
    if (outcome.problem) outcome.keep_alive = false;
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
    p.body_limit(largest_body);
    buffer.max_size(limits.header_bytes + 4096);
    const auto ec = co_await with_deadline(read_header(socket, buffer, p),
                                           clock::now() + limits.header_timeout);
    if (!ec) {
        ended.problem = make(408, "header_timeout", "The request did not arrive in time.");
    } else if (*ec) {
        ended.problem = problem_of_read(*ec, p);
    } else {
        auto outcome = take(p, socket);
        co_await add_body(socket, buffer, p, limits.header_timeout, outcome);
        co_return outcome;
    }
    co_return ended;
}

}  // namespace exportd::http
