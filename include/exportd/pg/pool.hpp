#pragma once

#include <exportd/pg/canceller.hpp>
#include <exportd/pg/connection.hpp>
#include <exportd/pg/conninfo.hpp>
#include <exportd/pg/observer.hpp>
#include <exportd/pg/pool_node.hpp>
#include <exportd/pg/resolver.hpp>
#include <exportd/pg/settings.hpp>
#include <exportd/pg/type_map.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace exportd::pg {

class pool;

// One connection for one query. Its destructor gives the connection back in any state: what
// still runs on it is ended by the pool, beside the caller. Used on the pool's thread.
class lease {
public:
    lease() = default;
    lease(std::shared_ptr<pool> owner, std::unique_ptr<connection> held) noexcept
        : owner_(std::move(owner)), held_(std::move(held)) {}
    lease(lease&&) noexcept = default;
    lease& operator=(lease&& other) noexcept;
    ~lease() { give_back(); }

    connection& operator*() const noexcept { return *held_; }
    connection* operator->() const noexcept { return held_.get(); }
    explicit operator bool() const noexcept { return held_ != nullptr; }

    // The query has been read to its end: commit, wait for nothing.
    void complete() noexcept { complete_ = true; }
    // The server did not answer in time: no use to wait before the query is cancelled.
    void distrust() noexcept { silent_ = true; }
    void give_back() noexcept;

    pool& owner() const noexcept { return *owner_; }

private:
    friend class pool;
    std::shared_ptr<pool> owner_;
    std::unique_ptr<connection> held_;
    bool complete_ = false;
    bool silent_ = false;
};

// A bounded number of connections, leased first come, first served. Broken ones are replaced,
// with growing pauses while the server can't be reached. Lives in a shared_ptr that leases
// share; everything happens on the executor's thread.
class pool : public std::enable_shared_from_this<pool> {
public:
    using counts = pool_counts;

    // The references must outlive the last lease and shutdown(). Throws
    // server_error(database_unavailable) when the URL can't be parsed. Opens nothing yet.
    pool(boost::asio::any_io_executor executor, settings s, resolver& names, canceller& cancels,
         observer& events);

    // Opens the first connection without being asked for one, so that stats() can tell.
    void start();

    // Throws boost::system::system_error: pool_exhausted when none became free within
    // pool_wait, database_unavailable when none can be made, shutting_down,
    // operation_aborted when the waiting coroutine was cancelled.
    boost::asio::awaitable<lease> acquire();

    // Closes what is idle, because one of them turned out to be stale.
    void drop_idle();

    // Opens nothing any more, fails who waits, closes what is idle and returns when the last
    // lease is given back. The executor has no work of the pool afterwards.
    boost::asio::awaitable<void> shutdown();

    counts stats() const noexcept;
    // Whether connecting failed the last time it was tried.
    bool failing() const noexcept { return node_.failing(); }

    type_map& types() noexcept { return types_; }
    const settings& config() const noexcept { return settings_; }

private:
    friend class lease;
    struct request;
    struct queue_place;

    static boost::asio::awaitable<void> open_one(std::shared_ptr<pool> self);
    static boost::asio::awaitable<void> settle(std::shared_ptr<pool> self, lease ended);
    void take_back(lease ended) noexcept;
    void put(std::unique_ptr<connection> c, pool_node::placed where);
    void put_idle(std::unique_ptr<connection> c);
    void on_idle_lost(connection* c);
    void refused(const std::string& reason);
    void fail(const std::vector<pool_node::waiter>& ids, errc error);
    void advance();
    lease lend(std::unique_ptr<connection> c);

    boost::asio::any_io_executor executor_;
    settings settings_;
    conninfo info_;
    resolver& names_;
    canceller& cancels_;
    observer& events_;
    pool_node node_;
    type_map types_;
    std::vector<std::unique_ptr<connection>> idle_;
    std::map<pool_node::waiter, request*> requests_;
    std::list<boost::asio::cancellation_signal> connects_;
    boost::asio::steady_timer retry_;
    boost::asio::steady_timer drained_;
    std::minstd_rand jitter_;
    std::size_t open_coroutines_ = 0;
};

}  // namespace exportd::pg
