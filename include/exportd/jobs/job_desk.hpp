#pragma once

#include <exportd/jobs/job.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace exportd::jobs {

// Why the desk can't answer now.
enum class desk_fault {
    disabled,      // background exports are not configured
    not_migrated,  // the database has no job table
    unavailable,   // the database or the file store can't be reached, or too many wait
};

// Thrown by each call of a desk.
struct desk_error {
    desk_fault why = desk_fault::unavailable;
};

enum class submit_refusal {
    key_reused,     // the idempotency key belongs to another request
    too_many_jobs,  // as many of this caller's wait and run as may
    queue_full,     // as many of all callers' wait as may
    no_mail,        // no letters are sent from here, or not to this address's domain
};

struct submitted {
    jobs::job job;
    bool created = true;  // false: the key's earlier job
};

// Reads one file for one answer.
class file_download {
public:
    virtual ~file_download() = default;

    virtual std::uint64_t size() const noexcept = 0;

    // Up to `most` bytes from `offset` on, empty only at the end. Throws desk_error.
    virtual boost::asio::awaitable<std::string> read(std::uint64_t offset, std::size_t most) = 0;
};

// What HTTP knows of background exports. Every call resumes on the caller's executor, waits on
// other threads only, and may be cancelled.
class job_desk {
public:
    virtual ~job_desk() = default;

    virtual boost::asio::awaitable<std::variant<submitted, submit_refusal>> submit(
        job_request r) = 0;

    // Nothing for an id that does not exist or is another owner's.
    virtual boost::asio::awaitable<std::optional<job>> find(std::string owner, std::string id) = 0;

    // As find(), for who shows the token of a link instead of being the owner.
    virtual boost::asio::awaitable<std::optional<job>> find_by_token(std::string id,
                                                                     std::string token) = 0;

    // The newest first.
    virtual boost::asio::awaitable<std::vector<job>> list(std::string owner, std::size_t most) = 0;

    // Ends a job that waits or runs, and deletes the file of a complete one. What it is now;
    // a running one may take a few seconds to end.
    virtual boost::asio::awaitable<std::optional<job>> cancel(std::string owner,
                                                              std::string id) = 0;

    // The file of a complete job; null when it is gone.
    virtual boost::asio::awaitable<std::unique_ptr<file_download>> open(job j) = 0;
};

}  // namespace exportd::jobs
