#include "job_json.hpp"

#include <exportd/exports/request.hpp>
#include <exportd/http/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace exportd::http {
namespace {

using jobs::job_state;

// Less time than this tells nothing about the pace.
constexpr std::chrono::milliseconds shortest_pace{1000};
// What is said about a time further away is a guess.
constexpr std::chrono::hours longest_eta{24 * 7};

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> failures{{
    {"query_failed", "The database could not finish the query of this export."},
    {"unsupported_type", "The query of this export gives a column that can't be written as CSV."},
    {"database_unavailable", "The database could not be reached."},
    {"first_row_timeout", "The database did not begin to deliver rows in time."},
    {"progress_timeout", "The database stopped delivering rows."},
    {"export_deadline", "The export took longer than it may; ask for a shorter range."},
    {"store_full", "There is no room left for the file of this export."},
    {"store_unavailable", "The file of this export could not be stored."},
    {"unknown_export", "This export is no longer offered."},
    {"not_permitted", "You may not use this export any more."},
    {"audit_unavailable", "Who exports what has to be recorded, and could not be."},
    {"gave_up", "The export was tried several times and never finished."},
}};

void add_time(json_object& o, std::string_view name, std::optional<exports::instant> t) {
    if (t) {
        o.text(name, exports::to_rfc3339(*t));
    } else {
        o.null(name);
    }
}

std::string address_of(const jobs::job& j) {
    return "/jobs/" + j.id;
}

std::string file_json(const jobs::job& j, const exports::catalog_entry* entry) {
    json_object o;
    o.text("href", address_of(j) + "/file").text("name", file_name_of(j, entry));
    o.number("bytes", j.bytes);
    if (j.sha256) o.text("sha256", *j.sha256);
    add_time(o, "expires_at", j.expires_at);
    return std::move(o).done();
}

std::string links_json(const jobs::job& j) {
    json_object o;
    o.text("self", address_of(j));
    if (j.state == job_state::complete) o.text("file", address_of(j) + "/file");
    o.text("jobs", "/jobs");
    return std::move(o).done();
}

void add_request(json_object& o, const jobs::job& j, const exports::catalog_entry* entry) {
    o.text("id", j.id).text("export", j.asked.export_name);
    if (entry != nullptr) o.text("title", entry->what.title);
    o.text("from", exports::to_rfc3339(j.asked.range.from));
    o.text("to", exports::to_rfc3339(j.asked.range.to));
    o.text("values", j.asked.values == exports::values::raw ? "raw" : "formatted");
    o.boolean("excel", j.asked.excel);
}

void add_progress(json_object& o, const jobs::job& j, exports::instant now) {
    o.text("state", jobs::name_of(j.state)).number("attempt", j.attempt);
    o.boolean("cancel_requested", j.cancel_requested).number("rows", j.rows);
    if (j.expected_rows) {
        o.number("expected_rows", *j.expected_rows);
    } else {
        o.null("expected_rows");
    }
    if (const auto progress = progress_of(j)) {
        o.raw("progress", fmt::format("{}", *progress));
    } else {
        o.null("progress");
    }
    if (const auto eta = eta_of(j, now)) {
        o.number("eta_seconds", eta->count());
    } else {
        o.null("eta_seconds");
    }
    o.number("bytes", j.bytes);
}

}  // namespace

std::optional<double> progress_of(const jobs::job& j) {
    if (j.state == job_state::complete || j.state == job_state::expired) return 1.0;
    if (j.expected_rows.value_or(0) == 0) return std::nullopt;
    const auto share = static_cast<double>(j.rows) / static_cast<double>(*j.expected_rows);
    // Rounded down, so that nothing is done before it is.
    return std::min(std::floor(share * 10'000) / 10'000, 1.0);
}

std::optional<std::chrono::seconds> eta_of(const jobs::job& j, exports::instant now) {
    if (j.state != job_state::running || j.cancel_requested || !j.started_at) return std::nullopt;
    if (j.rows == 0 || !j.expected_rows || j.rows > *j.expected_rows) return std::nullopt;
    const auto passed = now - *j.started_at;
    if (passed < shortest_pace) return std::nullopt;
    const auto left = static_cast<double>(*j.expected_rows - j.rows);
    const std::chrono::duration<double> rest =
        std::chrono::duration<double>{passed} * (left / static_cast<double>(j.rows));
    if (rest > longest_eta) return std::nullopt;
    return std::chrono::ceil<std::chrono::seconds>(rest);
}

std::optional<std::chrono::seconds> poll_after(const jobs::job& j, exports::instant now) {
    constexpr std::chrono::seconds usual{5};
    constexpr std::chrono::seconds shortest{1};
    constexpr std::chrono::seconds longest{60};
    if (j.state != job_state::queued && j.state != job_state::running) return std::nullopt;
    const auto eta = eta_of(j, now);
    return eta ? std::clamp(*eta / 4, shortest, longest) : usual;
}

std::string_view failure_text(std::string_view code) noexcept {
    const auto* found = std::find_if(failures.begin(), failures.end(),
                                     [code](const auto& f) { return f.first == code; });
    return found != failures.end() ? found->second
                                   : std::string_view{"The export failed inside the service."};
}

std::string file_name_of(const jobs::job& j, const exports::catalog_entry* entry) {
    return entry == nullptr ? j.id + ".csv"
                            : exports::file_name(entry->what, *entry->zone, j.asked.range);
}

std::string to_json(const jobs::job& j, const exports::catalog_entry* entry, exports::instant now) {
    json_object o;
    add_request(o, j, entry);
    add_progress(o, j, now);
    add_time(o, "created_at", j.created_at);
    add_time(o, "started_at", j.started_at);
    add_time(o, "finished_at", j.finished_at);
    if (j.code) o.text("code", *j.code).text("detail", failure_text(*j.code));
    if (j.state == job_state::complete) o.raw("file", file_json(j, entry));
    // Until the job has ended there is nothing to write about, but somebody waits for it.
    const bool to_come = j.asked.notify.has_value() && j.mail == jobs::mail_state::none;
    if (to_come || j.mail != jobs::mail_state::none) {
        json_object mail;
        mail.text("state", jobs::name_of(to_come ? jobs::mail_state::waiting : j.mail));
        o.raw("mail", std::move(mail).done());
    }
    o.raw("links", links_json(j));
    return std::move(o).done();
}

}  // namespace exportd::http
