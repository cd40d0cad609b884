#pragma once

#include <exportd/exports/catalog.hpp>
#include <exportd/http/message.hpp>
#include <exportd/http/problem.hpp>
#include <exportd/jobs/job.hpp>

#include "range_request.hpp"
#include <optional>

namespace exportd::http {

// The file of a complete job, as conditional requests know it: its tag is its SHA-256.
file_version version_of(const jobs::job& j);

// The head of an answer with the file (200) or a part of it (206).
stream_head file_head(const jobs::job& j, const exports::catalog_entry* entry,
                      const selected_range& part);

// The answer that a selection asks for without any byte of the file: 304, 412 or 416.
std::optional<response> answer_without_file(const jobs::job& j, const selected_range& part,
                                            const request& r);

// Why a job has no file; nothing if it has one.
std::optional<problem> why_no_file(const jobs::job& j, exports::instant now);

// The file was there once.
problem file_gone();

}  // namespace exportd::http
