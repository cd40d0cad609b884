#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/rows/errc.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace exportd::http {

// Holds a request and keeps what it is answered with.
class recorded_exchange final : public exchange {
public:
    explicit recorded_exchange(http::request r) : request_{std::move(r)} {}

    const http::request& request() const noexcept override { return request_; }
    void claim_turn() noexcept override {}
    bool answered() const noexcept override { return answer || head || !body.empty(); }

    boost::asio::awaitable<void> reply(response r) override {
        answer = std::move(r);
        co_return;
    }

    boost::asio::awaitable<void> reply_head(stream_head h) override {
        head = std::move(h);
        co_return;
    }

    std::unique_ptr<rows::byte_sink> stream(stream_head h, make_trailers) override {
        streamed = std::move(h);
        return std::make_unique<sink>(*this);
    }

    // Ends as `ends_guard` says, the next one first; otherwise as the work does.
    boost::asio::awaitable<void> guard(boost::asio::awaitable<void> work,
                                       transfer_limits limits) override {
        guarded.push_back(limits);
        std::optional<errc> end;
        if (!guard_ends.empty()) {
            end = guard_ends.front();
            guard_ends.pop_front();
        }
        if (end) throw boost::system::system_error{*end};
        co_await std::move(work);
    }

    // What the answer's field says; nothing if there is no such field.
    std::optional<std::string> field(std::string_view name) const {
        const auto& fields = answer ? answer->fields : head ? head->fields : streamed->fields;
        for (const auto& f : fields) {
            if (f.name == name) return f.value;
        }
        return std::nullopt;
    }

    std::optional<response> answer;
    std::optional<stream_head> head;
    std::optional<stream_head> streamed;
    std::string body;
    std::vector<std::size_t> writes;
    bool finished = false;
    bool aborted = false;
    std::optional<std::size_t> fails_at_write;  // with a broken pipe
    std::deque<std::optional<errc>> guard_ends;
    std::vector<transfer_limits> guarded;

private:
    class sink final : public rows::byte_sink {
    public:
        explicit sink(recorded_exchange& to) : to_{to} {}
        ~sink() override { to_.aborted = !to_.finished; }

        boost::asio::awaitable<void> write(rows::byte_buffer& chunk) override {
            if (to_.fails_at_write == to_.writes.size()) {
                throw boost::system::system_error{
                    boost::system::errc::make_error_code(boost::system::errc::broken_pipe)};
            }
            to_.writes.push_back(chunk.size());
            to_.body += chunk.view();
            chunk.clear();
            co_return;
        }
        boost::asio::awaitable<void> finish(rows::totals) override {
            to_.finished = true;
            co_return;
        }
        void abort() noexcept override { to_.aborted = true; }

    private:
        recorded_exchange& to_;
    };

    http::request request_;
};

// Runs a coroutine to its end and rethrows what it throws.
inline void run_to_end(boost::asio::awaitable<void> work) {
    boost::asio::io_context loop;
    std::exception_ptr failure;
    boost::asio::co_spawn(loop, std::move(work), [&](std::exception_ptr e) { failure = e; });
    loop.run();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace exportd::http
