#include <exportd/jobs/job_store.hpp>

#include <fmt/format.h>

#include "job_row.hpp"

namespace exportd::jobs {

std::optional<due_letter> job_store::claim_letter(std::chrono::milliseconds hold) {
    const auto got = session_.exec(fmt::format(R"(
        UPDATE exportd.jobs SET mail_attempt = mail_attempt + 1,
            mail_due_at = now() + $1::bigint * interval '1 millisecond'
        WHERE id = (SELECT id FROM exportd.jobs
                    WHERE mail_state = 'waiting' AND mail_due_at <= now()
                    ORDER BY mail_due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING {})",
                                               job_columns()),
                                   {std::to_string(hold.count())});
    if (got.empty()) return std::nullopt;
    return due_letter{job_from(got, 0), static_cast<int>(number_from(got.at(0, "mail_attempt")))};
}

void job_store::add_link(const job& j, const std::string& digest) {
    session_.exec(
        "UPDATE exportd.jobs SET link_digests = array_append(link_digests, $2) WHERE id = $1::uuid",
        {j.id, digest});
}

void job_store::letter_sent(const job& j) {
    session_.exec(
        "UPDATE exportd.jobs SET mail_state = 'sent', notify = NULL WHERE id = $1::uuid "
        "AND mail_state = 'waiting'",
        {j.id});
}

void job_store::letter_failed(const job& j) {
    session_.exec(
        "UPDATE exportd.jobs SET mail_state = 'failed', notify = NULL WHERE id = $1::uuid "
        "AND mail_state = 'waiting'",
        {j.id});
}

void job_store::letter_later(const job& j, std::chrono::milliseconds pause) {
    session_.exec(
        "UPDATE exportd.jobs SET mail_due_at = now() + $2::bigint * interval '1 millisecond' "
        "WHERE id = $1::uuid AND mail_state = 'waiting'",
        {j.id, std::to_string(pause.count())});
}

}  // namespace exportd::jobs
