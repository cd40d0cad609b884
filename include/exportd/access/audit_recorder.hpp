#pragma once

#include <exportd/access/audit.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/work/worker_pool.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string_view>
#include <vector>

namespace exportd::access {

// Thrown by a sink that can't be reached at the moment; whether it has the record is not known.
class sink_unavailable : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// One place where records go.
class audit_sink {
public:
    virtual ~audit_sink() = default;
    virtual std::string_view name() const noexcept = 0;  // a literal

    // Blocks; on one thread. Throws sink_unavailable, after which the same record may come again
    // and is kept once, or another std::exception for a record that it will never take.
    virtual void write(const audit_record& r) = 0;

    // For any thread: a write that waits, or comes later, has to end soon.
    virtual void hurry() noexcept = 0;
};

struct recorder_options {
    bool required = false;
    std::size_t queue = 4096;                   // records that may wait for each sink
    std::chrono::milliseconds patience{5'000};  // of who needs to know, and of the drain
    // A record whose sink can't be reached is tried again so often before it is lost.
    int tries = 30;
    std::chrono::milliseconds between_tries{1'000};
};

// Writes each record to every sink, in order, on a thread for each sink. Loop thread only.
class audit_recorder final : public audit {
public:
    // The references outlive it.
    audit_recorder(boost::asio::any_io_executor loop,
                   std::vector<std::unique_ptr<audit_sink>> sinks, recorder_options options,
                   observe::observer& told);
    ~audit_recorder() override;

    boost::asio::awaitable<bool> begin(audit_record r) override;
    void note(audit_record r) override;

    // Waits until all is written, but no longer than the patience; after that sinks are told to
    // hurry, and nothing more is taken.
    boost::asio::awaitable<void> drain();

private:
    struct channel;
    struct waiting;

    void keep(audit_record r, const std::shared_ptr<waiting>& who);
    boost::asio::awaitable<void> write(channel& to, std::shared_ptr<const audit_record> r,
                                       std::shared_ptr<waiting> who);
    void close() noexcept;
    void write_on_thread(channel& to, const audit_record& r, std::stop_token stop) const;

    boost::asio::any_io_executor loop_;
    recorder_options options_;
    observe::observer& told_;
    std::list<channel> channels_;
    std::size_t pending_ = 0;  // writes that have not ended
    boost::asio::steady_timer drained_;
};

}  // namespace exportd::access
