// Reads one query through the service's cursor and throws the rows away: the floor under
// every export. Usage: cursor_drain URL SQL. Prints one line of JSON.
#include <exportd/pg/cursor_factory.hpp>
#include <exportd/pg/result_batch.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>

namespace {

namespace asio = boost::asio;
using namespace exportd;
using clock_type = std::chrono::steady_clock;

struct report {
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    double wall = 0;
    double first_row = 0;
};

double seconds_since(clock_type::time_point began) {
    return std::chrono::duration<double>(clock_type::now() - began).count();
}

asio::awaitable<void> drain(std::shared_ptr<pg::pool> pool, rows::query q, report* out) {
    pg::cursor_factory factory{pool};
    const auto began = clock_type::now();
    auto opened = co_await factory.open(std::move(q));
    out->first_row = seconds_since(began);
    while (const auto batch = co_await opened.source->next()) {
        out->rows += batch->row_count();
        out->bytes += static_cast<const pg::result_batch&>(*batch).wire_bytes();
    }
    out->wall = seconds_since(began);
    co_await pool->shutdown();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: cursor_drain URL SQL\n");
        return 2;
    }
    try {
        asio::io_context loop{1};
        pg::system_resolver names;
        pg::canceller cancels;
        pg::observer silent;
        pg::settings s;
        s.url = argv[1];
        const auto pool =
            std::make_shared<pg::pool>(loop.get_executor(), s, names, cancels, silent);
        report r;
        std::exception_ptr failure;
        rows::query q;
        q.sql = argv[2];
        q.tag = "cursor_drain";
        asio::co_spawn(loop, drain(pool, std::move(q), &r),
                       [&failure](std::exception_ptr e) { failure = e; });
        loop.run();
        if (failure) std::rethrow_exception(failure);
        std::printf(
            "{\"rows\":%llu,\"bytes\":%llu,\"wall_s\":%.4f,\"cpu_s\":%.4f,\"first_row_ms\":%.2f}\n",
            static_cast<unsigned long long>(r.rows), static_cast<unsigned long long>(r.bytes),
            r.wall, static_cast<double>(std::clock()) / CLOCKS_PER_SEC, r.first_row * 1000);
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "cursor_drain: %s\n", e.what());
        return 1;
    }
}
