#pragma once

#include <exportd/jobs/job.hpp>
#include <exportd/jobs/job_desk.hpp>
#include <exportd/sql/session.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace exportd::jobs {

// How many jobs there may be.
struct job_limits {
    std::uint64_t open_per_caller = 0;  // that wait or run
    std::uint64_t queued = 0;           // of all callers, that wait
};

// A job that this process works on, by the right of its fence.
struct claimed_job {
    jobs::job job;
    std::int64_t fence = 0;
};

// A letter to write about a job that has ended.
struct due_letter {
    jobs::job job;
    int attempt = 0;  // counted from 1
};

// What is left to do for a job whose owner asks for a longer lease.
enum class lease_state {
    held,
    cancel,  // held, and somebody wants the job to end
    lost,    // it is another's by now, or has ended
};

struct job_counts {
    std::uint64_t queued = 0;
    std::uint64_t running = 0;
    std::uint64_t letters = 0;  // that wait
};

// The job table, exportd.jobs; see sql/schema. All replicas use it at once: a row is claimed with
// FOR UPDATE SKIP LOCKED, and every change by a job's owner names the fence of its claim and
// fails once that is not the newest. Times are the database's. Blocks; one thread at a time.
//
// Every call throws sql::error, sql::connection_error.
class job_store {
public:
    // `name` says in the table which process holds a lease.
    job_store(sql::session& session, std::string name)
        : session_{session}, name_{std::move(name)} {}

    std::variant<submitted, submit_refusal> submit(const job_request& r, const job_limits& limits);
    std::optional<job> find(const std::string& owner, const std::string& id);
    // `digest`: of the token in a link, see link_token.
    std::optional<job> find_by_link(const std::string& id, const std::string& digest);
    std::vector<job> list(const std::string& owner, std::size_t most);
    job_counts counts();

    // Ends a job that waits; asks for the end of one that runs; a complete one's file expires now.
    std::optional<job> cancel(const std::string& owner, const std::string& id);

    // The next job whose turn it is, now running: one that waits and is due, or one whose owner
    // let its lease pass. The caller whose last job began longest ago is first, then the oldest
    // job. One that was begun `most_attempts` times has failed instead, with code gave_up.
    // Only jobs of the given exports are taken: what another release accepted is left to it.
    std::optional<claimed_job> claim(std::chrono::milliseconds lease, int most_attempts,
                                     const std::vector<std::string>& exports);

    lease_state renew(const claimed_job& j, std::chrono::milliseconds lease, std::uint64_t rows,
                      std::uint64_t bytes, std::optional<std::uint64_t> expected_rows);

    // The ends of a claim. False: it was lost before, and nothing changed.
    struct finished_file {
        std::string key;
        std::string sha256;  // lower-case hex
        std::uint64_t rows = 0;
        std::uint64_t bytes = 0;
        std::chrono::milliseconds keep{0};
    };
    bool complete(const claimed_job& j, const finished_file& file);
    bool fail(const claimed_job& j, std::string_view code);
    bool cancelled(const claimed_job& j);
    // Back into the queue for another try after the pause; one that was not the job's fault
    // does not count.
    bool put_back(const claimed_job& j, std::chrono::milliseconds pause, bool counts);

    // A job whose file has to go, locked by nobody else; nothing when none is due. Once its file
    // is removed, forget_file(): the job has expired and the address for its letter is forgotten.
    std::optional<job> due_expiry();
    void forget_file(const job& j);
    // Deletes the rows of jobs that ended so long ago and have no file.
    std::size_t forget_jobs(std::chrono::milliseconds after);

    // Whether a file in the store belongs to a job that runs or has it.
    bool is_file(const std::string& key);

    // A letter that is due, held for `hold`: then it is due again unless it was settled.
    std::optional<due_letter> claim_letter(std::chrono::milliseconds hold);
    void add_link(const job& j, const std::string& digest);
    void letter_sent(const job& j);
    void letter_failed(const job& j);
    void letter_later(const job& j, std::chrono::milliseconds pause);

private:
    std::vector<job> select(std::string_view tail, const sql::parameters& given);

    sql::session& session_;
    std::string name_;
};

}  // namespace exportd::jobs
