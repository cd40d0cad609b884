#include "transfer_watch.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <exception>

namespace exportd::http {
namespace asio = boost::asio;

namespace {

// How often a transfer is looked at. A client that leaves has its query ended within two seconds.
constexpr std::chrono::milliseconds longest_pause{250};

std::chrono::milliseconds pause_for(const transfer_limits& limits) {
    auto pause = longest_pause;
    for (const auto limit : {limits.stall_timeout, limits.deadline}) {
        if (limit.count() > 0) pause = std::min(pause, limit / 4 + std::chrono::milliseconds{1});
    }
    return pause;
}

}  // namespace

transfer_watch::transfer_watch(transfer_limits limits, clock::time_point start, tcp_state at_start)
    : limits_{limits}, start_{start}, progress_{start}, acked_{at_start.bytes_acked} {
}

std::optional<errc> transfer_watch::look(clock::time_point now, tcp_state state, bool writing,
                                         bool cut) {
    if (cut) return errc::shutting_down;
    if (state.peer_gone) return errc::client_gone;
    if (!writing || state.bytes_acked != acked_) {
        progress_ = now;
        acked_ = state.bytes_acked;
    }
    if (limits_.stall_timeout.count() > 0 && now - progress_ >= limits_.stall_timeout)
        return errc::stalled;
    if (limits_.deadline.count() > 0 && now - start_ >= limits_.deadline)
        return errc::export_deadline;
    return std::nullopt;
}

asio::awaitable<void> run_watched(asio::awaitable<void> work, transfer_limits limits,
                                  asio::ip::tcp::socket& socket, const lifecycle& life,
                                  const bool& writing) {
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer{executor};
    asio::cancellation_signal cancel;
    bool done = false;
    std::exception_ptr failure;
    auto on_done = [&](std::exception_ptr e) {
        done = true;
        failure = e;
        timer.cancel();
    };
    asio::co_spawn(executor, std::move(work), asio::bind_cancellation_slot(cancel.slot(), on_done));

    transfer_watch watch{limits, transfer_watch::clock::now(),
                         read_tcp_state(socket.native_handle())};
    const auto pause = pause_for(limits);
    std::optional<errc> reason;
    while (!done) {
        timer.expires_after(pause);
        co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
        if (done || reason) continue;
        // After an abort the descriptor is closed and the work about to end by itself, unless it
        // was the service that closed it.
        if (!socket.is_open()) {
            if (life.cutting()) {
                reason = errc::shutting_down;
                cancel.emit(asio::cancellation_type::terminal);
            }
            continue;
        }
        reason = watch.look(transfer_watch::clock::now(), read_tcp_state(socket.native_handle()),
                            writing, life.cutting());
        if (reason) cancel.emit(asio::cancellation_type::terminal);
    }
    if (reason && failure) throw boost::system::system_error{*reason};
    if (failure) std::rethrow_exception(failure);
}

}  // namespace exportd::http
