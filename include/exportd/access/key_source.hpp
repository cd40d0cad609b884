#pragma once

#include <exportd/access/jwt.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/work/worker_pool.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace exportd::access {

// Where keys come from: gives the text of a key set, may block, and throws std::exception.
using read_keys = std::function<std::string(const std::stop_token&)>;

// A file, and an address, which is fetched over HTTPS or from loopback; redirects are not
// followed, and no more than a MiB is taken. `ca_file`: certificates (PEM) that the server's has
// to lead to; empty: the system's. Needs curl::library.
read_keys keys_of_file(std::string path);
read_keys keys_of_url(std::string url, std::string ca_file);

// Keeps the issuer's keys at hand: reads them on a thread of its own, again after a while, and at
// once (but not too often) when a token names one that is not there. What was read last stays
// when they can't be read. Loop thread only.
class key_source {
public:
    // `refresh` 0: only when it is asked for. The observer outlives it.
    key_source(boost::asio::any_io_executor loop, read_keys from, std::chrono::milliseconds refresh,
               observe::observer& told);

    // Puts it to work on the loop.
    void start();
    void close();

    // Null until they were read once.
    const key_set* keys() const noexcept { return keys_.get(); }

    // Reads them now.
    void refresh();

    // A token has named a key that is not there.
    void missed();

private:
    boost::asio::awaitable<void> keep_fresh();
    boost::asio::awaitable<bool> read();

    boost::asio::any_io_executor loop_;
    read_keys from_;
    std::chrono::milliseconds refresh_;
    observe::observer& told_;
    std::shared_ptr<const key_set> keys_;
    boost::asio::steady_timer due_;
    std::chrono::steady_clock::time_point read_at_;
    bool wanted_ = false;
    bool closing_ = false;
    work::worker_pool thread_;
};

}  // namespace exportd::access
