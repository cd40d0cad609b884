#include <exportd/app/application.hpp>
#include <exportd/app/probe.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

namespace exportd::app {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr std::chrono::seconds patience{2};
constexpr std::size_t most_answer = 4096;  // bytes

tcp::endpoint reachable(const tcp::endpoint& listen) {
    if (!listen.address().is_unspecified()) return listen;
    if (listen.address().is_v6()) return {asio::ip::address_v6::loopback(), listen.port()};
    return {asio::ip::address_v4::loopback(), listen.port()};
}

// Empty for an answer of 200; else its status line, and the body, which holds the reason.
std::string fault_in(std::string_view answer) {
    if (answer.starts_with("HTTP/1.1 200 ")) return {};
    const auto body = answer.find("\r\n\r\n");
    std::string text{answer.substr(0, answer.find("\r\n"))};
    if (body != std::string_view::npos) text.append(": ").append(answer.substr(body + 4));
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text.empty() ? "an empty answer" : text;
}

asio::awaitable<void> ask(tcp::endpoint listen, std::string_view target, std::string& fault) {
    constexpr auto token = asio::as_tuple(asio::use_awaitable);
    tcp::socket socket{co_await asio::this_coro::executor};
    const auto [refused] = co_await socket.async_connect(listen, token);
    if (refused) {
        fault = refused.message();
        co_return;
    }
    const auto request =
        fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", target);
    const auto [unsent, sent] = co_await asio::async_write(socket, asio::buffer(request), token);
    if (unsent) {
        fault = unsent.message();
        co_return;
    }
    std::string answer;
    auto buffer = asio::dynamic_buffer(answer, most_answer);
    const auto [cut, size] = co_await asio::async_read(socket, buffer, token);
    fault = cut && cut != asio::error::eof ? cut.message() : fault_in(answer);
}

}  // namespace

int probe(const config& c, probe_kind kind) {
    const std::string_view target = kind == probe_kind::ready ? "/readyz" : "/healthz";
    const tcp::endpoint listen = reachable(c.ops.listen);
    std::string fault = "no answer within two seconds";
    asio::io_context loop{1};
    asio::co_spawn(loop, ask(listen, target, fault), asio::detached);
    loop.run_for(patience);
    if (fault.empty()) return exit_ok;
    fmt::print(stderr, "exportd: {} on port {}: {}\n", target, listen.port(), fault);
    return exit_failed;
}

}  // namespace exportd::app
