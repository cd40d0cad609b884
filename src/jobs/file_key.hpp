#pragma once

#include <exportd/jobs/file_store.hpp>

#include <string>
#include <string_view>

namespace exportd::jobs {

// Whether `text` is a key as file_store has them, at most 200 bytes long, so that a name made of it
// still fits into a directory.
bool is_file_key(std::string_view text) noexcept;

// Throws store_error if `key` is none.
void require_file_key(const std::string& key);

}  // namespace exportd::jobs
