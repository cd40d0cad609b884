#pragma once

#include <exportd/exports/catalog.hpp>
#include <exportd/exports/date_range.hpp>
#include <exportd/jobs/job.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace exportd::http {

// A job as its owner sees it, as a JSON object. `entry` is the job's export, null if it is no
// longer configured. Never holds the address that a letter goes to.
std::string to_json(const jobs::job& j, const exports::catalog_entry* entry, exports::instant now);

// The name that the job's file is offered under.
std::string file_name_of(const jobs::job& j, const exports::catalog_entry* entry);

// How much of a job is done, 0 to 1; nothing while that can't be said.
std::optional<double> progress_of(const jobs::job& j);

// How long a running job is still going to take at the pace it has had; nothing while that can't
// be said.
std::optional<std::chrono::seconds> eta_of(const jobs::job& j, exports::instant now);

// When it is worth asking again how a job stands; nothing for one that has ended.
std::optional<std::chrono::seconds> poll_after(const jobs::job& j, exports::instant now);

// Why a job has failed, for people: one sentence for each of the codes in job::code, and one for
// any other.
std::string_view failure_text(std::string_view code) noexcept;

}  // namespace exportd::http
