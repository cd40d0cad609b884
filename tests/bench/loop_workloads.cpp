#include "loop_workloads.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

namespace exportd::bench {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;
using executor = asio::any_io_executor;

constexpr std::uint64_t strands_of_work = 64;
constexpr std::size_t chunk_bytes = 64 << 10;

// Peers that nobody reads from any more would wait for ever: a failure ends the program.
void must_not_fail(std::exception_ptr failure) noexcept {
    if (failure) std::rethrow_exception(failure);
}

void post_next(const executor& loop, std::uint64_t left) {
    if (left == 0) return;
    asio::post(loop, [&loop, left] { post_next(loop, left - 1); });
}

void post_and_dispatch(const executor& loop, std::uint64_t left) {
    if (left == 0) return;
    asio::post(loop, [&loop, left] {
        for (int i = 0; i < 15; ++i)
            asio::dispatch(loop, [] {});
        post_and_dispatch(loop, left - 1);
    });
}

asio::awaitable<void> resume(executor loop, std::uint64_t left) {
    for (; left != 0; --left)
        co_await asio::post(loop, asio::use_awaitable);
}

asio::awaitable<void> wait_for_timer(executor loop, std::uint64_t left) {
    asio::steady_timer timer{loop};
    for (; left != 0; --left) {
        timer.expires_after(0s);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<void> race(executor loop, std::uint64_t left) {
    using namespace asio::experimental::awaitable_operators;
    for (; left != 0; --left) {
        asio::steady_timer timer{loop, 1h};
        co_await (asio::post(loop, asio::use_awaitable) ||
                  timer.async_wait(asio::as_tuple(asio::use_awaitable)));
    }
}

// About as many instructions for a byte as the service spends on it: 30 to 40.
void encode(std::vector<char>& chunk) {
    std::uint32_t state = 1;
    for (char& c : chunk) {
        state += static_cast<unsigned char>(c);
        for (int i = 0; i < 3; ++i) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
        }
        c = static_cast<char>(state);
    }
}

// As libpq reads: waits, then takes what is there.
asio::awaitable<void> read_chunk(tcp::socket& database, std::vector<char>& chunk) {
    for (std::size_t have = 0; have < chunk.size();) {
        boost::system::error_code ec;
        have += database.read_some(asio::buffer(chunk) + have, ec);
        if (ec == asio::error::would_block)
            co_await database.async_wait(tcp::socket::wait_read, asio::use_awaitable);
        else if (ec)
            throw boost::system::system_error{ec};
    }
}

struct connections {
    tcp::socket database;
    tcp::socket client;
    bool done = false;
};

asio::awaitable<void> export_chunks(connections& c, std::uint64_t chunks) {
    std::vector<char> chunk(chunk_bytes);
    for (; chunks != 0; --chunks) {
        co_await read_chunk(c.database, chunk);
        encode(chunk);
        co_await asio::async_write(c.client, asio::buffer(chunk), asio::use_awaitable);
    }
    c.done = true;
}

asio::awaitable<void> relay_chunks(connections& c, std::uint64_t chunks) {
    std::vector<char> chunk(chunk_bytes);
    for (; chunks != 0; --chunks) {
        co_await asio::async_read(c.database, asio::buffer(chunk), asio::use_awaitable);
        co_await asio::async_write(c.client, asio::buffer(chunk), asio::use_awaitable);
    }
    c.done = true;
}

// As the service watches its loop, and its clients.
asio::awaitable<void> tick(executor loop, const connections& c) {
    asio::steady_timer timer{std::move(loop)};
    while (!c.done) {
        timer.expires_after(10ms);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

class streamed_export : public loop_workload {
public:
    using coroutine = asio::awaitable<void>(connections&, std::uint64_t);

    streamed_export(const executor& loop, coroutine& run, std::uint64_t chunks,
                    std::chrono::milliseconds pause)
        : ours_{tcp::socket{loop}, tcp::socket{loop}} {
        connect(loop, ours_.database, sender_);
        connect(loop, ours_.client, reader_);
        ours_.database.non_blocking(true);
        ours_.client.set_option(tcp::socket::send_buffer_size{256 << 10});
        asio::co_spawn(loop, run(ours_, chunks), must_not_fail);
        asio::co_spawn(loop, tick(loop, ours_), must_not_fail);
        if (pause == 0ms) {
            threads_.emplace_back([this, chunks] { send_and_read(chunks); });
        } else {
            threads_.emplace_back([this, chunks] { send(chunks); });
            threads_.emplace_back([this, chunks, pause] { read_slowly(chunks, pause); });
        }
    }

private:
    // The peer's kernel holds little, so that a slow reader is felt at once.
    static void connect(const executor& loop, tcp::socket& ours, tcp::socket& theirs) {
        tcp::acceptor listener{loop, {asio::ip::address_v4::loopback(), 0}};
        theirs.open(tcp::v4());
        theirs.set_option(tcp::socket::receive_buffer_size{64 << 10});
        theirs.connect(listener.local_endpoint());
        listener.accept(ours);
        ours.set_option(tcp::no_delay{true});
        theirs.set_option(tcp::no_delay{true});
    }

    void send_and_read(std::uint64_t chunks) {
        std::vector<char> chunk(chunk_bytes);
        for (; chunks != 0; --chunks) {
            asio::write(sender_, asio::buffer(chunk));
            asio::read(reader_, asio::buffer(chunk));
        }
    }

    void send(std::uint64_t chunks) {
        const std::vector<char> chunk(chunk_bytes);
        for (; chunks != 0; --chunks)
            asio::write(sender_, asio::buffer(chunk));
    }

    void read_slowly(std::uint64_t chunks, std::chrono::milliseconds pause) {
        std::vector<char> chunk(chunk_bytes);
        for (; chunks != 0; --chunks) {
            asio::read(reader_, asio::buffer(chunk));
            std::this_thread::sleep_for(pause);
        }
    }

    asio::io_context peers_;  // never runs: the peers block
    tcp::socket sender_{peers_};
    tcp::socket reader_{peers_};
    connections ours_;
    std::vector<std::jthread> threads_;
};

template <typename Start>
std::unique_ptr<loop_workload> storm(const Start& start) {
    for (std::uint64_t i = 0; i < strands_of_work; ++i)
        start();
    return std::make_unique<loop_workload>();
}

}  // namespace

std::unique_ptr<loop_workload> start_workload(std::string_view name, const executor& loop,
                                              std::uint64_t count) {
    const auto each = count / strands_of_work;
    if (name == "post") return storm([&] { post_next(loop, each); });
    if (name == "dispatch") return storm([&] { post_and_dispatch(loop, each / 16); });
    if (name == "resume")
        return storm([&] { asio::co_spawn(loop, resume(loop, each), must_not_fail); });
    if (name == "timer")
        return storm([&] { asio::co_spawn(loop, wait_for_timer(loop, each), must_not_fail); });
    if (name == "race")
        return storm([&] { asio::co_spawn(loop, race(loop, each), must_not_fail); });
    if (name == "fast") return std::make_unique<streamed_export>(loop, export_chunks, count, 0ms);
    if (name == "slow") return std::make_unique<streamed_export>(loop, export_chunks, count, 3ms);
    if (name == "relay") return std::make_unique<streamed_export>(loop, relay_chunks, count, 0ms);
    return nullptr;
}

}  // namespace exportd::bench
