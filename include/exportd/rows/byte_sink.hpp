#pragma once

#include <exportd/rows/byte_buffer.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace exportd::rows {

struct totals {
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    std::optional<std::string> sha256;  // of the whole file, 32 bytes, when it was asked for
};

// Takes the bytes of one file. It is whole only after finish(); without it the destructor does
// what abort() does.
class byte_sink {
public:
    virtual ~byte_sink() = default;

    // Takes all bytes of a chunk that is not empty and returns when it may be filled again;
    // that wait is the backpressure. The chunk is empty afterwards and keeps its storage.
    // Throws boost::system::system_error when the bytes can't be delivered.
    virtual boost::asio::awaitable<void> write(byte_buffer& chunk) = 0;

    // Ends the file as complete.
    virtual boost::asio::awaitable<void> finish(totals sent) = 0;

    // Ends the file so that its receiver sees it is not complete.
    virtual void abort() noexcept = 0;
};

}  // namespace exportd::rows
