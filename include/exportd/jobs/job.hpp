#pragma once

#include <exportd/exports/date_range.hpp>
#include <exportd/exports/request.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::jobs {

// queued -> running -> complete -> expired, or failed or cancelled. A running job whose owner
// vanished, and one that may be tried again, is queued once more.
enum class job_state { queued, running, complete, failed, cancelled, expired };

// What became of the letter, apart from what became of the job.
enum class mail_state { none, waiting, sent, failed };

// "queued", "running", ...: in the job table and in answers.
std::string_view name_of(job_state s) noexcept;
std::string_view name_of(mail_state s) noexcept;
std::optional<job_state> job_state_of(std::string_view name) noexcept;
std::optional<mail_state> mail_state_of(std::string_view name) noexcept;

// What somebody asks for.
struct job_request {
    std::string owner;                // who may see the job; empty while nobody is told apart
    std::vector<std::string> groups;  // the owner's at that time
    std::string caller;               // who takes turns with others and whose limits count
    std::string export_name;
    exports::date_range range;
    exports::values values = exports::values::formatted;
    bool excel = false;
    std::optional<std::string> notify;           // a mail address: personal data
    std::optional<std::string> idempotency_key;  // the owner's own
};

// A row of the job table. A plain value.
struct job {
    std::string id;  // UUID in lower case
    job_request asked;
    job_state state = job_state::queued;
    bool letter_wanted = false;  // also once the address is forgotten
    int attempt = 0;             // tries that were begun
    bool cancel_requested = false;
    std::uint64_t rows = 0;   // so far, or in the file
    std::uint64_t bytes = 0;  // as well
    std::optional<std::uint64_t> expected_rows;
    std::optional<std::string> code;    // stable, of why it failed
    std::optional<std::string> file;    // key in the file store
    std::optional<std::string> sha256;  // of the file, lower-case hex
    mail_state mail = mail_state::none;
    exports::instant created_at;
    std::optional<exports::instant> started_at;  // of the last try
    std::optional<exports::instant> finished_at;
    std::optional<exports::instant> expires_at;  // of the file
};

}  // namespace exportd::jobs
