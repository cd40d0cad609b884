#pragma once

#include <exportd/pg/deadline_watch.hpp>
#include <exportd/pg/observer.hpp>
#include <exportd/pg/patience.hpp>
#include <exportd/pg/result.hpp>
#include <exportd/pg/server_error.hpp>
#include <exportd/rows/turns.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct pg_conn;
struct pg_cancel;

namespace exportd::pg {

struct cancel_deleter {
    void operator()(pg_cancel* c) const noexcept;
};
using cancel_handle = std::unique_ptr<pg_cancel, cancel_deleter>;

// One established connection, in pipeline mode from its start to its end. Commands are queued
// with send() and sync(), go out with flush(), and their results come back in order from
// next_result(). Nothing here blocks. Used on the executor's thread only; at most one
// coroutine waits on it at a time.
//
// An operation that throws because the connection is lost, or because a wait was too long,
// leaves it useless: is_open() is false or outstanding() never reaches 0.
class connection {
public:
    using parameters = std::vector<std::optional<std::string>>;

    // Takes over an established, non-blocking PGconn.
    connection(boost::asio::any_io_executor executor, pg_conn* established, observer& events);
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    // The type numbers of parameters (pg_type.oid); empty: the server infers them.
    using parameter_types = std::vector<unsigned>;

    // Queues a statement; its one result comes in binary. Parameters are in text form.
    // Throws server_error: query_failed for a parameter with a zero byte, else
    // database_unavailable.
    void send(const std::string& sql, const parameters& values = {},
              const parameter_types& types = {});

    // Queues a statement that is parsed and described, not run: two results, the second with
    // the columns.
    void send_describe(const std::string& sql, const parameter_types& types = {});

    // Ends a group of commands: an error skips the rest of its group only.
    void sync();

    // Hands everything queued to the kernel.
    boost::asio::awaitable<void> flush(patience p);

    // The next result that is not a sync mark. Throws server_error with query_failed or
    // database_unavailable for an error of the server, boost::system::system_error with
    // first_row_timeout, progress_timeout, or operation_aborted when the waiting coroutine
    // was cancelled.
    //
    // `turns`, if given, portions out the work of taking results apart: for those with many rows.
    boost::asio::awaitable<result> next_result(patience p, rows::turns* turns = nullptr);

    // Reads and drops all results still to come; errors of the server are dropped, too.
    // Throws like next_result() when the connection is lost or the wait is too long.
    boost::asio::awaitable<void> drain(patience p);

    // Whether a result or the end of the connection can be had without waiting.
    bool ready() const noexcept;

    // Results and sync marks still to come.
    std::size_t outstanding() const noexcept { return outstanding_; }

    bool is_open() const noexcept;
    bool in_transaction() const noexcept;

    // Whether the server has said anything but an error since mark_leased().
    bool answered() const noexcept { return answered_; }
    void mark_leased() noexcept { answered_ = false; }

    // Calls `on_lost` once, on the executor, when the server closes the connection while
    // nobody uses it. Ended by unwatch().
    void watch(std::function<void()> on_lost);
    void unwatch() noexcept;

    cancel_handle make_cancel() const;
    int backend_pid() const noexcept { return pid_; }
    int server_version() const noexcept { return server_version_; }  // 150004 is 15.4
    std::string last_error() const;

private:
    boost::asio::awaitable<void> wait_readable(patience::limit limit);
    boost::asio::awaitable<void> wait_both(patience::limit limit);
    void watch_on(std::size_t generation, std::shared_ptr<std::function<void()>> on_lost);
    bool consume() noexcept;
    result take(bool& sync_mark);
    [[noreturn]] void fail_lost();
    void expect(int sent, std::size_t results);

    pg_conn* conn_;
    boost::asio::posix::stream_descriptor socket_;
    deadline_watch watch_;
    std::size_t outstanding_ = 0;
    std::shared_ptr<std::size_t> idle_generation_;
    int pid_;
    int server_version_;
    bool answered_ = false;
    bool lost_ = false;
};

}  // namespace exportd::pg
