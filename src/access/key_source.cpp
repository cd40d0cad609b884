#include <exportd/access/key_source.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace exportd::access {
namespace asio = boost::asio;
using clock = std::chrono::steady_clock;

namespace {

// However many tokens name a key that is not there.
constexpr std::chrono::seconds between_misses{30};
constexpr std::chrono::seconds between_failures{10};

}  // namespace

key_source::key_source(asio::any_io_executor loop, read_keys from,
                       std::chrono::milliseconds refresh, observe::observer& told)
    : loop_{loop},
      from_{std::move(from)},
      refresh_{refresh},
      told_{told},
      due_{loop},
      thread_{work::one_thread(1)} {
}

void key_source::start() {
    asio::co_spawn(loop_, keep_fresh(), asio::detached);
}

void key_source::close() {
    closing_ = true;
    due_.cancel();
    thread_.close();
}

void key_source::refresh() {
    wanted_ = true;
    due_.cancel();
}

void key_source::missed() {
    if (clock::now() >= read_at_ + between_misses) refresh();
}

asio::awaitable<void> key_source::keep_fresh() {
    while (!closing_) {
        wanted_ = false;
        read_at_ = clock::now();
        const bool fine = co_await read();
        if (closing_ || wanted_) continue;
        if (!fine && keys_ == nullptr) {
            due_.expires_after(between_failures);
        } else if (refresh_.count() > 0) {
            due_.expires_after(refresh_);
        } else {
            due_.expires_at(clock::time_point::max());
        }
        co_await due_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

asio::awaitable<bool> key_source::read() {
    auto task = [from = from_](const std::stop_token& stop) {
        return std::make_shared<const key_set>(from(stop));
    };
    std::string cause;
    try {
        keys_ = co_await thread_.run(work::lane::brief, {}, std::move(task));
    } catch (const std::exception& e) {
        cause = e.what();
    }
    if (closing_) co_return false;
    if (cause.empty()) {
        told_.observe(
            observe::event{observe::level::info, "jwt_keys_read"}.with("keys", keys_->size()));
    } else {
        told_.observe(
            observe::event{observe::level::warning, "jwt_keys_failed"}.with("cause", cause));
    }
    co_return cause.empty();
}

}  // namespace exportd::access
