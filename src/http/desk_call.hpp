#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/http/job_services.hpp>
#include <exportd/http/problem.hpp>

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace exportd::http {

// How a call of the desk ended.
struct desk_outcome {
    std::optional<problem> failure;
    bool gone = false;  // the client: nobody is left to be answered

    bool ok() const noexcept { return !failure && !gone; }
};

// Awaits one call of the desk for at most desk_timeout and no longer than the client stays. What
// is not to be expected is thrown.
boost::asio::awaitable<desk_outcome> run_desk_call(const job_services& services, exchange& x,
                                                   boost::asio::awaitable<void> call);

template <class T>
boost::asio::awaitable<void> await_into(boost::asio::awaitable<T> call, T& result) {
    result = co_await std::move(call);
}

// The same for a call that gives something, which is in `result` if the outcome is ok.
template <class T>
boost::asio::awaitable<desk_outcome> ask_desk(const job_services& services, exchange& x,
                                              boost::asio::awaitable<T> call, T& result) {
    auto work = await_into(std::move(call), result);
    co_return co_await run_desk_call(services, x, std::move(work));
}

problem problem_of(jobs::desk_fault why);

// An id as the desk knows it, in lower case. Nothing for what is not the form of one.
std::optional<std::string> job_id_in(std::string_view segment);

}  // namespace exportd::http
