#pragma once

#include <exportd/jobs/job_desk.hpp>
#include <exportd/rows/byte_sink.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>

namespace exportd::http {

// Sends a part of a file in pieces of at most `piece` bytes and ends the sink as complete. The next
// piece is read while the last is written. `sent` counts the bytes that were written. Throws
// jobs::desk_error when a read fails, std::runtime_error when the file ends too early, and what
// the sink throws; the sink then is not finished.
boost::asio::awaitable<void> send_part(jobs::file_download& file, rows::byte_sink& to,
                                       std::uint64_t first, std::uint64_t length, std::size_t piece,
                                       std::uint64_t& sent);

}  // namespace exportd::http
