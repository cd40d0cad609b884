#pragma once

#include <exportd/exports/catalog.hpp>
#include <exportd/jobs/file_store.hpp>
#include <exportd/jobs/job.hpp>
#include <exportd/rows/row_source_factory.hpp>
#include <exportd/rows/turns.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace exportd::jobs {

// A database connection for one export, on the loop that it was made for.
class task_database {
public:
    virtual ~task_database() = default;
    virtual rows::row_source_factory& rows() = 0;
    virtual rows::turns& turns() = 0;
    virtual boost::asio::awaitable<void> shutdown() = 0;
};

// What an export into a file needs. Everything outlives it and may be used by several threads.
struct task_services {
    const exports::catalog& catalog;
    file_store& files;
    std::function<std::unique_ptr<task_database>(boost::asio::io_context&)> connect;
    std::size_t chunk_bytes = 64 * 1024;
    std::chrono::milliseconds first_row_timeout{0};
    std::chrono::milliseconds deadline{0};  // of the whole export
};

// How far an export has come, for other threads.
struct task_progress {
    std::atomic<std::uint64_t> rows{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::int64_t> expected_rows{-1};  // -1: not known

    std::optional<std::uint64_t> expected() const noexcept {
        const auto n = expected_rows.load();
        return n < 0 ? std::nullopt : std::optional{static_cast<std::uint64_t>(n)};
    }
};

// How an export into a file ended.
struct task_end {
    enum class kind {
        done,       // the file is published
        stopped,    // as it was asked to
        temporary,  // another try may end better
        failed,     // another try would end alike
    };
    kind what = kind::failed;
    std::string code;   // stable, unless it is done
    std::string cause;  // for the log
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    std::string sha256;  // lower-case hex, when it is done
    std::uint64_t fallbacks = 0;
};

// Writes the export of a job into the file store under `key`: run_export() as it serves a request,
// on an io_context of the calling thread. Returns when the file is published or nothing of it is
// left; throws nothing.
task_end run_export_task(const task_services& services, const job& j, const std::string& key,
                         task_progress& progress, std::stop_token stop) noexcept;

}  // namespace exportd::jobs
