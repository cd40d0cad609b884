#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/http/lifecycle.hpp>
#include <exportd/http/tcp_state.hpp>
#include <exportd/rows/errc.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <functional>
#include <optional>

namespace exportd::http {

// Decides, look by look, whether a transfer has to end. No I/O: it is told what the kernel says.
class transfer_watch {
public:
    using clock = std::chrono::steady_clock;

    transfer_watch(transfer_limits limits, clock::time_point start, tcp_state at_start);

    // `writing`: bytes wait for the client to take them.
    std::optional<errc> look(clock::time_point now, tcp_state state, bool writing, bool cut);

private:
    transfer_limits limits_;
    clock::time_point start_;
    clock::time_point progress_;
    std::uint64_t acked_;
};

// Runs `work` beside a watch of `socket`; see exchange::guard(). The references outlive it.
boost::asio::awaitable<void> run_watched(boost::asio::awaitable<void> work, transfer_limits limits,
                                         boost::asio::ip::tcp::socket& socket,
                                         const lifecycle& life, const bool& writing);

}  // namespace exportd::http
