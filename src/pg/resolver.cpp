#include <exportd/pg/resolver.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>

namespace exportd::pg {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

struct pending_answer {
    explicit pending_answer(const asio::any_io_executor& executor)
        : names(executor), arrival(executor, asio::steady_timer::time_point::max()) {}

    asio::ip::tcp::resolver names;
    asio::steady_timer arrival;  // cancelled when the answer is there
    error_code error;
    bool arrived = false;
    std::vector<std::string> addresses;
};

void ask(const std::shared_ptr<pending_answer>& answer, const std::string& host) {
    answer->names.async_resolve(
        host, "", [answer](error_code ec, const asio::ip::tcp::resolver::results_type& found) {
            answer->error = ec;
            for (const auto& entry : found) {
                answer->addresses.push_back(entry.endpoint().address().to_string());
            }
            answer->arrived = true;
            answer->arrival.cancel();
        });
}

}  // namespace

asio::awaitable<std::vector<std::string>> system_resolver::resolve(std::string host) {
    // The system's call can't be interrupted, so a caller who gives up leaves it behind.
    const auto answer = std::make_shared<pending_answer>(co_await asio::this_coro::executor);
    ask(answer, host);
    error_code ec;
    co_await answer->arrival.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    if (!answer->arrived) throw boost::system::system_error{asio::error::operation_aborted};
    if (answer->error) throw boost::system::system_error{answer->error, host};
    co_return std::move(answer->addresses);
}

}  // namespace exportd::pg
