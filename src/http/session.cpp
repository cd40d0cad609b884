#include "session.hpp"

#include <exportd/http/problem.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/system/system_error.hpp>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

#include "deadline.hpp"
#include "pause.hpp"
#include "transfer_watch.hpp"
#include <array>

namespace exportd::http {
namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

using error_code = boost::system::error_code;
using string_response = beast::http::response<beast::http::string_body>;

// What a client may still send while its error answer travels, and for how long it is read.
constexpr std::size_t discarded_bytes = 4 * 1024 * 1024;
constexpr std::chrono::seconds discard_time{2};

asio::awaitable<bool> write_message(asio::ip::tcp::socket& socket, string_response& message,
                                    bool head_only) {
    beast::http::response_serializer<beast::http::string_body> serializer{message};
    if (head_only) {
        const auto [ec, bytes] = co_await beast::http::async_write_header(
            socket, serializer, asio::as_tuple(asio::use_awaitable));
        co_return !ec;
    }
    const auto [ec, bytes] =
        co_await beast::http::async_write(socket, serializer, asio::as_tuple(asio::use_awaitable));
    co_return !ec;
}

asio::awaitable<bool> write_head(asio::ip::tcp::socket& socket,
                                 beast::http::response<beast::http::empty_body>& message) {
    beast::http::response_serializer<beast::http::empty_body> serializer{message};
    const auto [ec, bytes] = co_await beast::http::async_write_header(
        socket, serializer, asio::as_tuple(asio::use_awaitable));
    co_return !ec;
}

// Reads and drops what comes until the client closes.
asio::awaitable<bool> discard_input(asio::ip::tcp::socket& socket) {
    std::array<char, 4096> scratch;
    for (std::size_t total = 0; total < discarded_bytes;) {
        const auto [ec, bytes] = co_await socket.async_read_some(
            asio::buffer(scratch), asio::as_tuple(asio::use_awaitable));
        if (ec) co_return true;
        total += bytes;
    }
    co_return false;
}

std::chrono::steady_clock::time_point in(std::chrono::milliseconds time) {
    return std::chrono::steady_clock::now() + time;
}

}  // namespace

class session::request_exchange final : public exchange {
public:
    request_exchange(session& owner, http::request r, bool close)
        : owner_{owner},
          request_{std::move(r)},
          context_{request_.request_id, request_.http_1_0, close, &fields_} {}

    const http::request& request() const noexcept override { return request_; }

    gate::decision show_to(gate& before, audience whom) {
        auto decision = before.admit(request_, whom);
        fields_ = std::move(decision.fields);
        return decision;
    }
    void claim_turn() noexcept override {
        if (route_ != nullptr) owner_.turns_.work_for(*route_);
    }

    // What the request is for, a route of the router.
    void claim_turns_for(const std::string* route) noexcept {
        route_ = route;
        claim_turn();
    }

    bool answered() const noexcept override { return replied_ || progress_.started; }
    unsigned status() const noexcept { return status_; }
    const std::string* route() const noexcept { return route_; }

    asio::awaitable<void> reply(response r) override {
        replied_ = true;
        status_ = r.status;
        complete_ = co_await owner_.send(std::move(r), context_, request_.is_head());
    }

    asio::awaitable<void> reply_head(stream_head head) override {
        replied_ = true;
        status_ = head.status;
        auto message = make_stream_head(head, context_);
        const auto sent =
            co_await with_deadline(write_head(owner_.socket_, message), in(owner_.write_timeout_));
        complete_ = sent.value_or(false);
    }

    std::unique_ptr<rows::byte_sink> stream(stream_head head, make_trailers trailers) override {
        status_ = head.status;
        return std::make_unique<chunked_writer>(owner_.socket_, progress_, std::move(head),
                                                context_, std::move(trailers));
    }

    asio::awaitable<void> guard(asio::awaitable<void> work, transfer_limits limits) override {
        return run_watched(std::move(work), limits, owner_.socket_, owner_.life_,
                           progress_.writing);
    }

    // Whether the connection is fit for another request.
    bool reusable() const noexcept { return !context_.close && (complete_ || progress_.finished); }
    const answer_context& context() const noexcept { return context_; }

private:
    session& owner_;
    http::request request_;
    std::vector<header_field> fields_;  // of every answer
    answer_context context_;
    stream_progress progress_;
    const std::string* route_ = nullptr;
    unsigned status_ = 200;
    bool replied_ = false;
    bool complete_ = false;
};

session::session(asio::ip::tcp::socket socket, const router& routes, gate* before,
                 const lifecycle& life, observe::observer& observer, observe::turn_meter& turns,
                 read_limits limits, std::chrono::milliseconds write_timeout)
    : socket_{std::move(socket)},
      routes_{routes},
      gate_{before},
      life_{life},
      observer_{observer},
      turns_{turns},
      limits_{limits},
      write_timeout_{write_timeout} {
}

asio::awaitable<void> session::run() {
    // Not the condition of an empty loop: GCC 12 makes a trap of that.
    bool more = true;
    while (more)
        more = co_await serve_one();
    co_await close_gently();
}

void session::close_if_idle() noexcept {
    error_code ignored;
    if (idle_) socket_.cancel(ignored);
}

void session::close_now() noexcept {
    error_code ignored;
    socket_.set_option(asio::socket_base::linger{true, 0}, ignored);
    socket_.close(ignored);
}

// Returns whether another request may follow.
asio::awaitable<bool> session::serve_one() {
    auto got = co_await read_request(socket_, buffer_, limits_, idle_);
    if (got.problem) {
        const std::string id =
            got.head ? got.head->request_id : to_string(boost::uuids::random_generator_pure{}());
        const bool http_1_0 = got.head && got.head->http_1_0;
        const bool head_only = got.head && got.head->is_head();
        tell_answer(nullptr, got.problem->status);
        co_await send(to_response(*got.problem, id), {id, http_1_0, true}, head_only);
        co_return false;
    }
    if (!got.head) co_return false;
    const bool close = !got.keep_alive || life_.draining();
    request_exchange x{*this, std::move(*got.head), close};
    co_await serve(x);
    if (x.answered()) tell_answer(x.route(), x.status());
    co_return x.reusable();
}

void session::tell_answer(const std::string* route, unsigned status) {
    observer_.observe(observe::event{observe::level::debug, "request_answered"}
                          .with("route", route == nullptr ? "other" : *route)
                          .with("status", status));
}

asio::awaitable<void> session::serve(request_exchange& x) {
    std::optional<problem> failure;
    try {
        const auto found = routes_.find(x.request().method, x.request().path);
        x.claim_turns_for(found.route);
        const bool passed = co_await pass_gate(x, found.whom);
        if (!passed) co_return;
        if (found.serves != nullptr) {
            co_await found.serves->serve(x);
        } else {
            failure = found.allow.empty() ? not_found() : method_not_allowed(found.allow);
        }
    } catch (const std::exception& e) {
        observer_.observe(observe::event{observe::level::error, "request_failed"}
                              .with("request_id", x.request().request_id)
                              .with("cause", std::string_view{e.what()}));
        failure = internal_error();
    }
    if (failure && !x.answered()) co_await x.reply(to_response(*failure, x.request().request_id));
}

// Returns whether the request may go on; otherwise it has been answered, if anybody waits for it.
asio::awaitable<bool> session::pass_gate(request_exchange& x, audience whom) {
    if (gate_ == nullptr) co_return true;
    auto decision = x.show_to(*gate_, whom);
    if (!decision.refusal) co_return true;
    const bool there = co_await pause(x, decision.delay);
    if (decision.delay.count() > 0) gate_->delay_over(x.request());
    if (!there) co_return false;
    co_await x.reply(std::move(*decision.refusal));
    co_return false;
}

asio::awaitable<bool> session::send(response r, answer_context context, bool head_only) {
    string_response message;
    message.result(r.status);
    // Beast knows the older names of some statuses.
    message.reason(title_of(r.status));
    set_common(message, context, r.fields, r.content_type);
    message.body() = std::move(r.body);
    // The length of a 304 would be that of the file (RFC 9110 section 8.6).
    if (message.result() != beast::http::status::not_modified) message.prepare_payload();
    const auto sent =
        co_await with_deadline(write_message(socket_, message, head_only), in(write_timeout_));
    co_return sent.value_or(false);
}

// Ends the connection so that the last answer arrives: closing with unread input would make the
// kernel reset it (RFC 9112 section 9.6).
asio::awaitable<void> session::close_gently() {
    if (!socket_.is_open()) co_return;
    error_code ec;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ec);
    if (!ec) co_await with_deadline(discard_input(socket_), in(discard_time));
    socket_.close(ec);
}

}  // namespace exportd::http
