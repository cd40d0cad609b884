#include <exportd/http/debug_endpoint.hpp>
#include <exportd/http/problem.hpp>
#include <exportd/rows/errc.hpp>

#include <boost/system/system_error.hpp>

#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace exportd::http {
namespace {

constexpr long longest_ms = 60'000;

void work_for(std::chrono::milliseconds length, const std::stop_token& stop) {
    const auto end = std::chrono::steady_clock::now() + length;
    while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) {
    }
}

// Not inlined: the watchdog's stack has to show who blocks.
[[gnu::noinline]] void block_the_loop(std::chrono::milliseconds length) {
    work_for(length, {});
}

std::optional<std::chrono::milliseconds> length_in(const request& r) {
    for (const auto& [name, value] : r.query) {
        if (name != "ms") continue;
        long ms = 0;
        const auto* end = value.data() + value.size();
        const auto parsed = std::from_chars(value.data(), end, ms);
        if (parsed.ec == std::errc{} && parsed.ptr == end && ms >= 1 && ms <= longest_ms)
            return std::chrono::milliseconds{ms};
    }
    return std::nullopt;
}

response bad_length(const request& r) {
    problem p = bad_request("invalid_ms", "Expected ms, from 1 to 60000.");
    p.parameter = "ms";
    return to_response(p, r.request_id);
}

response done(std::string_view text) {
    response r;
    r.content_type = "text/plain; charset=utf-8";
    r.body = text;
    return r;
}

boost::asio::awaitable<void> run_on(work::worker_pool& pool, std::string caller,
                                    std::chrono::milliseconds length, bool& refused) {
    auto job = [length](const std::stop_token& stop) { work_for(length, stop); };
    try {
        co_await pool.run(work::lane::brief, std::move(caller), std::move(job));
    } catch (const work::pool_full&) {
        refused = true;
    }
}

}  // namespace

boost::asio::awaitable<void> block_endpoint::serve(exchange& x) {
    const auto length = length_in(x.request());
    if (length) block_the_loop(*length);
    auto answer = length ? done("blocked\n") : bad_length(x.request());
    co_await x.reply(std::move(answer));
}

boost::asio::awaitable<void> work_endpoint::serve(exchange& x) {
    const auto length = length_in(x.request());
    bool refused = false;
    bool gone = false;
    if (length) {
        auto running = run_on(pool_, x.request().client, *length, refused);
        try {
            co_await x.guard(std::move(running), {});
        } catch (const boost::system::system_error& e) {
            gone = e.code() == errc::client_gone;
            if (!gone) refused = true;
        }
    }
    if (gone) co_return;
    auto answer = length ? done("worked\n") : bad_length(x.request());
    if (refused) answer = to_response(problem_of(errc::pool_exhausted), x.request().request_id);
    co_await x.reply(std::move(answer));
}

}  // namespace exportd::http
