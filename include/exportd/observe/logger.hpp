#pragma once

#include <exportd/observe/event.hpp>
#include <exportd/observe/line_writer.hpp>
#include <exportd/observe/log_format.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace exportd::observe {

struct logger_options {
    level least = level::info;  // events below it are not logged
    log_format format = log_format::json;
    std::size_t queue = 8192;  // lines that wait for the descriptor, at least 1
    int fd = 1;                // not owned
    std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
};

// Logs events as lines, written by a thread of its own. observe() may be called from any thread
// and never waits for the descriptor: when the queue is full, the oldest line in it is dropped.
// Dropped lines are told, at most once a second, in an event of their own when lines get
// through again: log_dropped, n.
class logger final : public observer {
public:
    // Starts the thread.
    explicit logger(logger_options options);

    // Waits until the queue is written, but no longer than about a second: what a stuck
    // descriptor has not taken by then is lost. No other thread may be in observe().
    ~logger() override;

    logger(const logger&) = delete;
    logger& operator=(const logger&) = delete;

    void observe(const event& e) noexcept override;

    // Lines that were lost since the start, be it to a full queue or to a failing descriptor.
    std::uint64_t dropped() const noexcept;

    // Where the lines go, for those who must know that theirs went; as long as the logger lives.
    line_writer& lines() noexcept;

    const logger_options& options() const noexcept { return options_; }

private:
    class backend;
    logger_options options_;
    std::unique_ptr<backend> backend_;
};

}  // namespace exportd::observe
