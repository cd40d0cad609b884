#include <exportd/jobs/job_store.hpp>

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "job_row.hpp"

namespace exportd::jobs {

namespace {

std::string text_of(std::chrono::milliseconds t) {
    return std::to_string(t.count());
}

std::string text_of(bool b) {
    return b ? "true" : "false";
}

// An interval of as many milliseconds as the parameter says.
constexpr std::string_view ms = "::bigint * interval '1 millisecond'";

// Whether two requests under one key are the same. The address is forgotten after a while, but not
// that there was one.
bool same(const job_request& earlier, const job_request& now) {
    return earlier.export_name == now.export_name && earlier.range.from == now.range.from &&
           earlier.range.to == now.range.to && earlier.values == now.values &&
           earlier.excel == now.excel;
}

bool same_letter(const job& earlier, const job_request& now) {
    return earlier.letter_wanted == now.notify.has_value() &&
           (!earlier.asked.notify || earlier.asked.notify == now.notify);
}

// The letter's state once a job has ended by itself.
constexpr std::string_view letter_due =
    "mail_state = CASE WHEN notify IS NULL THEN 'none' ELSE 'waiting' END, mail_due_at = now()";

// What a claim leaves behind when it ends.
constexpr std::string_view unleased = "lease_owner = NULL, lease_until = NULL";

// The condition that a change by the owner of a claim makes.
constexpr std::string_view by_fence =
    "WHERE id = $1::uuid AND fence = $2::bigint AND state = 'running'";

}  // namespace

std::vector<job> job_store::select(std::string_view tail, const sql::parameters& given) {
    const auto got =
        session_.exec(fmt::format("SELECT {} FROM exportd.jobs {}", job_columns(), tail), given);
    std::vector<job> all;
    for (std::size_t i = 0; i < got.size(); ++i)
        all.push_back(job_from(got, i));
    return all;
}

std::variant<submitted, submit_refusal> job_store::submit(const job_request& r,
                                                          const job_limits& limits) {
    std::variant<submitted, submit_refusal> end{submit_refusal::queue_full};
    session_.transaction([&] {
        // One at a time among all replicas, so that keys and limits are exact.
        session_.exec("SELECT pg_advisory_xact_lock(7246193851)");
        if (r.idempotency_key) {
            auto earlier =
                select("WHERE owner = $1 AND idempotency_key = $2", {r.owner, r.idempotency_key});
            if (!earlier.empty()) {
                if (same(earlier.front().asked, r) && same_letter(earlier.front(), r))
                    end = submitted{std::move(earlier.front()), false};
                else
                    end = submit_refusal::key_reused;
                return;
            }
        }
        const auto open = session_.exec(R"(
            SELECT count(*) FILTER (WHERE caller = $1) AS own,
                   count(*) FILTER (WHERE state = 'queued') AS queued
            FROM exportd.jobs WHERE state IN ('queued', 'running'))",
                                        {r.caller});
        if (static_cast<std::uint64_t>(number_from(open.at(0, "own"))) >= limits.open_per_caller) {
            end = submit_refusal::too_many_jobs;
            return;
        }
        if (static_cast<std::uint64_t>(number_from(open.at(0, "queued"))) >= limits.queued) {
            end = submit_refusal::queue_full;
            return;
        }
        const auto id = to_string(boost::uuids::random_generator_pure{}());
        const auto got =
            session_.exec(fmt::format(R"(
            INSERT INTO exportd.jobs (id, owner, caller, export, range_from, range_to, raw_values,
                                      excel, notify, idempotency_key, owner_groups, letter_wanted)
            VALUES ($1::uuid, $2, $3, $4, $5::timestamptz, $6::timestamptz, $7::boolean,
                    $8::boolean, $9::text, $10, $11, $9::text IS NOT NULL)
            RETURNING {})",
                                      job_columns()),
                          {id, r.owner, r.caller, r.export_name,
                           exports::to_parameter(r.range.from), exports::to_parameter(r.range.to),
                           text_of(r.values == exports::values::raw), text_of(r.excel), r.notify,
                           r.idempotency_key, fmt::format("{}", fmt::join(r.groups, "\n"))});
        end = submitted{job_from(got, 0), true};
    });
    return end;
}

std::optional<job> job_store::find(const std::string& owner, const std::string& id) {
    auto found = select("WHERE owner = $1 AND id = $2::uuid", {owner, id});
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
}

std::optional<job> job_store::find_by_link(const std::string& id, const std::string& digest) {
    auto found = select("WHERE id = $1::uuid AND $2 = ANY (link_digests)", {id, digest});
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
}

std::vector<job> job_store::list(const std::string& owner, std::size_t most) {
    return select("WHERE owner = $1 ORDER BY jobs.created_at DESC, jobs.id LIMIT $2::bigint",
                  {owner, std::to_string(most)});
}

job_counts job_store::counts() {
    const auto got = session_.exec(R"(
        SELECT (SELECT count(*) FROM exportd.jobs WHERE state = 'queued') AS queued,
               (SELECT count(*) FROM exportd.jobs WHERE state = 'running') AS running,
               (SELECT count(*) FROM exportd.jobs WHERE mail_state = 'waiting') AS letters)");
    const auto count = [&](std::string_view name) {
        return static_cast<std::uint64_t>(number_from(got.at(0, name)));
    };
    return {count("queued"), count("running"), count("letters")};
}

std::optional<job> job_store::cancel(const std::string& owner, const std::string& id) {
    session_.exec(R"(
        UPDATE exportd.jobs SET
            cancel_requested = cancel_requested OR state = 'running',
            finished_at = CASE WHEN state = 'queued' THEN now() ELSE finished_at END,
            expires_at = CASE WHEN state = 'complete' THEN least(expires_at, now())
                              ELSE expires_at END,
            notify = CASE WHEN state = 'running' THEN notify END,
            mail_state = CASE WHEN state = 'complete' AND mail_state = 'waiting' THEN 'none'
                              ELSE mail_state END,
            state = CASE WHEN state = 'queued' THEN 'cancelled' ELSE state END
        WHERE owner = $1 AND id = $2::uuid AND state IN ('queued', 'running', 'complete'))",
                  {owner, id});
    return find(owner, id);
}

std::optional<claimed_job> job_store::claim(std::chrono::milliseconds lease, int most_attempts,
                                            const std::vector<std::string>& exports) {
    std::optional<claimed_job> claimed;
    session_.transaction([&] {
        // Owners that vanished: a job that was to end, or was begun often enough, has ended.
        session_.exec(fmt::format(R"(
            UPDATE exportd.jobs SET finished_at = now(), {0}, mail_due_at = now(),
                state = CASE WHEN cancel_requested THEN 'cancelled' ELSE 'failed' END,
                code = CASE WHEN cancel_requested THEN NULL ELSE 'gave_up' END,
                mail_state = CASE WHEN notify IS NULL OR cancel_requested THEN 'none'
                                  ELSE 'waiting' END,
                notify = CASE WHEN cancel_requested THEN NULL ELSE notify END
            WHERE id IN (SELECT id FROM exportd.jobs
                         WHERE state = 'running' AND lease_until < now()
                           AND (cancel_requested OR attempt >= $1::int)
                         FOR UPDATE SKIP LOCKED))",
                                  unleased),
                      {std::to_string(most_attempts)});
        const auto got = session_.exec(
            fmt::format(R"(
            UPDATE exportd.jobs SET state = 'running', fence = fence + 1, attempt = attempt + 1,
                started_at = now(), row_count = 0, byte_count = 0, expected_rows = NULL,
                lease_owner = $1, lease_until = now() + $2{}
            WHERE id = (SELECT waiting.id FROM exportd.jobs AS waiting
                        WHERE ((waiting.state = 'queued' AND waiting.due_at <= now())
                               OR (waiting.state = 'running' AND waiting.lease_until < now()))
                          AND waiting.export = ANY ($3::text[])
                        ORDER BY (SELECT max(theirs.started_at) FROM exportd.jobs AS theirs
                                  WHERE theirs.caller = waiting.caller) NULLS FIRST,
                                 waiting.created_at, waiting.id
                        LIMIT 1 FOR UPDATE OF waiting SKIP LOCKED)
            RETURNING {})",
                        ms, job_columns()),
            // Names of exports need no quotes: they are parts of paths.
            {name_, text_of(lease), "{" + fmt::format("{}", fmt::join(exports, ",")) + "}"});
        if (got.empty()) return;
        claimed = claimed_job{job_from(got, 0), number_from(got.at(0, "fence"))};
    });
    return claimed;
}

lease_state job_store::renew(const claimed_job& j, std::chrono::milliseconds lease,
                             std::uint64_t rows, std::uint64_t bytes,
                             std::optional<std::uint64_t> expected_rows) {
    const auto expected = expected_rows ? sql::text{std::to_string(*expected_rows)} : sql::text{};
    const auto got = session_.exec(fmt::format(R"(
        UPDATE exportd.jobs SET lease_until = now() + $3{}, row_count = $4::bigint,
            byte_count = $5::bigint, expected_rows = $6::bigint
        {} RETURNING cancel_requested)",
                                               ms, by_fence),
                                   {j.job.id, std::to_string(j.fence), text_of(lease),
                                    std::to_string(rows), std::to_string(bytes), expected});
    if (got.empty()) return lease_state::lost;
    return got.at(0, 0) == "t" ? lease_state::cancel : lease_state::held;
}

// Somebody may have asked for the end of the job while its last rows were written: it is complete
// then, and the file can be deleted like any other.
bool job_store::complete(const claimed_job& j, const finished_file& file) {
    return session_
               .exec(fmt::format(R"(
        UPDATE exportd.jobs SET state = 'complete', {}, {}, finished_at = now(), file = $3,
            sha256 = $4, row_count = $5::bigint, byte_count = $6::bigint,
            expected_rows = $5::bigint, expires_at = now() + $7{}, due_at = now(), code = NULL
        {})",
                                 unleased, letter_due, ms, by_fence),
                     {j.job.id, std::to_string(j.fence), file.key, file.sha256,
                      std::to_string(file.rows), std::to_string(file.bytes), text_of(file.keep)})
               .affected() == 1;
}

bool job_store::fail(const claimed_job& j, std::string_view code) {
    return session_
               .exec(fmt::format("UPDATE exportd.jobs SET state = 'failed', {}, {}, code = $3, "
                                 "finished_at = now() {}",
                                 unleased, letter_due, by_fence),
                     {j.job.id, std::to_string(j.fence), std::string{code}})
               .affected() == 1;
}

bool job_store::cancelled(const claimed_job& j) {
    return session_
               .exec(fmt::format("UPDATE exportd.jobs SET state = 'cancelled', {}, notify = NULL, "
                                 "finished_at = now() {}",
                                 unleased, by_fence),
                     {j.job.id, std::to_string(j.fence)})
               .affected() == 1;
}

bool job_store::put_back(const claimed_job& j, std::chrono::milliseconds pause, bool counts) {
    return session_
               .exec(fmt::format("UPDATE exportd.jobs SET {}, "
                                 "state = CASE WHEN cancel_requested THEN 'cancelled' "
                                 "ELSE 'queued' END, "
                                 "finished_at = CASE WHEN cancel_requested THEN now() END, "
                                 "notify = CASE WHEN NOT cancel_requested THEN notify END, "
                                 "due_at = now() + $3{}, attempt = attempt - $4::int {}",
                                 unleased, ms, by_fence),
                     {j.job.id, std::to_string(j.fence), text_of(pause), counts ? "0" : "1"})
               .affected() == 1;
}

std::optional<job> job_store::due_expiry() {
    // Due again in a minute, for the case that the file can't be removed now.
    const auto got = session_.exec(fmt::format(R"(
        UPDATE exportd.jobs SET state = 'expired', due_at = now() + interval '1 minute'
        WHERE id = (SELECT id FROM exportd.jobs
                    WHERE file IS NOT NULL AND expires_at <= now() AND due_at <= now()
                    ORDER BY expires_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING {})",
                                               job_columns()));
    if (got.empty()) return std::nullopt;
    return job_from(got, 0);
}

void job_store::forget_file(const job& j) {
    session_.exec(R"(
        UPDATE exportd.jobs SET file = NULL, notify = NULL, link_digests = '{}',
            mail_state = CASE WHEN mail_state = 'waiting' THEN 'failed' ELSE mail_state END
        WHERE id = $1::uuid)",
                  {j.id});
}

std::size_t job_store::forget_jobs(std::chrono::milliseconds after) {
    return session_
        .exec(fmt::format("DELETE FROM exportd.jobs WHERE file IS NULL "
                          "AND state NOT IN ('queued', 'running') "
                          "AND greatest(finished_at, expires_at) < now() - $1{}",
                          ms),
              {text_of(after)})
        .affected();
}

bool job_store::is_file(const std::string& key) {
    return !session_
                .exec(
                    "SELECT 1 FROM exportd.jobs WHERE file = $1 OR (state = 'running' AND "
                    "$1 LIKE id::text || '.' || fence::text || '.%')",
                    {key})
                .empty();
}

}  // namespace exportd::jobs
