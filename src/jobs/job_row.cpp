#include "job_row.hpp"

#include <charconv>
#include <stdexcept>

namespace exportd::jobs {

namespace {

exports::instant instant_from(const sql::text& value) {
    return exports::instant{std::chrono::microseconds{number_from(value)}};
}

std::optional<exports::instant> maybe_instant(const sql::text& value) {
    if (!value) return std::nullopt;
    return instant_from(value);
}

bool flag_from(const sql::text& value) {
    return value == "t";
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

job_request request_from(const sql::result& got, std::size_t row) {
    job_request r;
    r.owner = got.at(row, "owner").value_or("");
    r.groups = lines_of(got.at(row, "owner_groups").value_or(""));
    r.caller = got.at(row, "caller").value_or("");
    r.export_name = got.at(row, "export").value_or("");
    r.range = {instant_from(got.at(row, "range_from")), instant_from(got.at(row, "range_to"))};
    r.values =
        flag_from(got.at(row, "raw_values")) ? exports::values::raw : exports::values::formatted;
    r.excel = flag_from(got.at(row, "excel"));
    r.notify = got.at(row, "notify");
    r.idempotency_key = got.at(row, "idempotency_key");
    return r;
}

}  // namespace

// Times as microseconds since 1970. A file that may not be fetched any more is not complete, even
// while it waits for its removal.
std::string_view job_columns() noexcept {
    return R"( id::text AS id, owner, owner_groups, caller, export, raw_values, excel, notify, idempotency_key,
        letter_wanted,
        (extract(epoch FROM range_from) * 1000000)::bigint AS range_from,
        (extract(epoch FROM range_to) * 1000000)::bigint AS range_to,
        CASE WHEN state = 'complete' AND expires_at <= now() THEN 'expired' ELSE state END AS state,
        attempt, cancel_requested, row_count, byte_count, expected_rows, code, file, sha256,
        mail_state, mail_attempt, fence,
        (extract(epoch FROM created_at) * 1000000)::bigint AS created_at,
        (extract(epoch FROM started_at) * 1000000)::bigint AS started_at,
        (extract(epoch FROM finished_at) * 1000000)::bigint AS finished_at,
        (extract(epoch FROM expires_at) * 1000000)::bigint AS expires_at )";
}

std::int64_t number_from(const sql::text& value) {
    std::int64_t n = 0;
    const auto* end = value ? value->data() + value->size() : nullptr;
    if (value) {
        const auto read = std::from_chars(value->data(), end, n);
        if (read.ec == std::errc{} && read.ptr == end) return n;
    }
    throw std::runtime_error{"the job table holds something else than a number"};
}

job job_from(const sql::result& got, std::size_t row) {
    job j;
    j.id = got.at(row, "id").value_or("");
    j.asked = request_from(got, row);
    j.state = job_state_of(got.at(row, "state").value_or("")).value_or(job_state::failed);
    j.letter_wanted = flag_from(got.at(row, "letter_wanted"));
    j.attempt = static_cast<int>(number_from(got.at(row, "attempt")));
    j.cancel_requested = flag_from(got.at(row, "cancel_requested"));
    j.rows = static_cast<std::uint64_t>(number_from(got.at(row, "row_count")));
    j.bytes = static_cast<std::uint64_t>(number_from(got.at(row, "byte_count")));
    if (const auto& expected = got.at(row, "expected_rows"))
        j.expected_rows = static_cast<std::uint64_t>(number_from(expected));
    j.code = got.at(row, "code");
    j.file = got.at(row, "file");
    j.sha256 = got.at(row, "sha256");
    j.mail = mail_state_of(got.at(row, "mail_state").value_or("")).value_or(mail_state::none);
    j.created_at = instant_from(got.at(row, "created_at"));
    j.started_at = maybe_instant(got.at(row, "started_at"));
    j.finished_at = maybe_instant(got.at(row, "finished_at"));
    j.expires_at = maybe_instant(got.at(row, "expires_at"));
    return j;
}

}  // namespace exportd::jobs
