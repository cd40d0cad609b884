#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::sql {

// A parameter or a value of a result, in PostgreSQL's text form; nullopt is NULL.
using text = std::optional<std::string>;
using parameters = std::vector<text>;

// The rows of one statement. A plain value.
class result {
public:
    result() = default;
    result(std::vector<std::string> columns, std::vector<text> cells, std::size_t affected)
        : columns_{std::move(columns)}, cells_{std::move(cells)}, affected_{affected} {}

    std::size_t size() const noexcept {
        return columns_.empty() ? 0 : cells_.size() / columns_.size();
    }
    bool empty() const noexcept { return size() == 0; }
    std::size_t affected() const noexcept { return affected_; }  // rows changed
    const std::vector<std::string>& columns() const noexcept { return columns_; }

    // The value at a row and a column, both of which exist; by position or by name.
    const text& at(std::size_t row, std::size_t column) const {
        return cells_.at(row * columns_.size() + column);
    }
    const text& at(std::size_t row, std::string_view column) const;

private:
    std::vector<std::string> columns_;
    std::vector<text> cells_;  // row by row
    std::size_t affected_ = 0;
};

// What the server said, or that it could not be reached. what() may quote data, hosts and users:
// it is for nobody but the log, and of classes 22, 23 and P0 only the SQLSTATE is.
class error : public std::runtime_error {
public:
    error(const std::string& message, std::string sqlstate)
        : std::runtime_error{message}, sqlstate_{std::move(sqlstate)} {}
    const std::string& sqlstate() const noexcept { return sqlstate_; }  // may be empty

private:
    std::string sqlstate_;
};

// No connection could be made, or it broke: whether the statement took effect is not known.
class connection_error : public error {
    using error::error;
};

// A stop was requested while a statement ran.
class interrupted : public std::exception {
public:
    const char* what() const noexcept override { return "interrupted"; }
};

struct session_options {
    std::string url;                                   // of libpq; a secret
    std::string application_name;                      // shows in pg_stat_activity
    std::chrono::milliseconds connect_timeout{5'000};  // whole seconds, at least one
    std::chrono::milliseconds statement_timeout{0};    // the server's; 0: none
    // How much longer than statement_timeout a server may be silent, and how long it may go on
    // after it was told to stop, before the connection is cut.
    std::chrono::milliseconds patience{3'000};
};

// One connection to PostgreSQL through libpqxx, for threads that may wait: every call blocks, so
// never on the loop. Connects at the first statement, and anew after the connection broke. Used by
// one thread at a time.
//
// No statement waits for ever: a thread of the session's own cuts a connection whose server stays
// silent, which statement_timeout, the server's own, cannot do.
class session {
public:
    explicit session(session_options options);
    ~session();
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    // Runs one statement, in the running transaction or else in one of its own. Throws error,
    // connection_error or interrupted.
    result exec(std::string_view statement, const parameters& given = {});

    // Runs several statements without parameters.
    void exec_script(std::string_view statements);

    // Runs `work` between BEGIN and COMMIT, or ROLLBACK when it throws. `begin` may say more than
    // BEGIN, such as an isolation level.
    void transaction(const std::function<void()>& work, std::string_view begin = "BEGIN");

    // For any thread: a statement that runs has only `patience` left.
    void hurry() noexcept;

    // While `work` runs, a requested stop cancels the statement that runs, and every later one
    // throws interrupted at once. The cancellation is sent from a thread of its own, so that
    // whoever requests the stop does not wait.
    void interruptible(std::stop_token stop, const std::function<void()>& work);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace exportd::sql
