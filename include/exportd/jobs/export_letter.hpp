#pragma once

#include <exportd/jobs/mailer.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace exportd::jobs {

// The letters about a background export, for the person who asked for it. Pure: all values are
// given. `to` and `message_id` of the letter are the caller's to fill in.

struct export_facts {
    std::string title;  // of the export, for people: "Orders"
    std::string from;   // the range as it was asked for, half-open: two dates, or two date-times
    std::string to;
    std::string job_id;  // for whoever is asked for help
};

struct finished_export {
    std::string link;  // https://...; works until it expires, however often it is fetched
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    std::chrono::sys_seconds expires;
    // How the reader's clock differs from UTC then, and what that is called.
    std::chrono::minutes utc_offset{0};
    std::string zone = "UTC";
};

letter finished_letter(const export_facts& facts, const finished_export& done);

// `code` is the stable code of the failure, as in a problem document or a job's state; one that is
// not known here gets a general sentence.
letter failed_letter(const export_facts& facts, const std::string& code);

// "1 January 2025 to 31 March 2025" for two dates, of which the second is not in the range any
// more; one day alone is named once. "2025-01-01T00:00:00Z up to 2025-01-02T00:00:00Z" otherwise.
std::string period_text(const std::string& from, const std::string& to);

// "1,234,567", and "14.3 MB" (1 MB is 1,000,000 bytes).
std::string count_text(std::uint64_t number);
std::string bytes_text(std::uint64_t bytes);

}  // namespace exportd::jobs
