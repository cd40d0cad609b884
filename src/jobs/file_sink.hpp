#pragma once

#include <exportd/jobs/file_store.hpp>
#include <exportd/rows/byte_sink.hpp>

namespace exportd::jobs {

// The bytes of an export on their way into a file. The thread waits for the disk or the network,
// which is why an export into a file runs on a loop of its own. The file is published by who made
// the writer, once the export has ended well.
class file_sink final : public rows::byte_sink {
public:
    explicit file_sink(file_writer& to) : to_{to} {}

    boost::asio::awaitable<void> write(rows::byte_buffer& chunk) override {
        to_.write({chunk.data(), chunk.size()});
        chunk.clear();
        co_return;
    }
    boost::asio::awaitable<void> finish(rows::totals) override { co_return; }
    void abort() noexcept override { to_.discard(); }

private:
    file_writer& to_;
};

}  // namespace exportd::jobs
