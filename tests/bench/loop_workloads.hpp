#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace exportd::bench {

// Work for a loop, all of it on one executor, as the service does it. Made before the loop runs;
// the loop's run() returns when the work is done. Other threads play the database and the client.
class loop_workload {
public:
    virtual ~loop_workload() = default;
};

// Starts the workload of that name, `count` times its unit; null: there is none.
//   post      functions that post the next one; the unit is a function
//   dispatch  each 16th is posted and dispatches 15 in its place; the unit is a function
//   resume    coroutines that post themselves; the unit is a resumption
//   timer     coroutines that wait for a timer that is due; the unit is a wait
//   race      `operation || timer`, as each deadline of the service; the unit is a race
//   fast      an export whose client waits for it; the unit is a chunk of 64 KiB
//   slow      an export that waits for its client; the unit is a chunk of 64 KiB
//   relay     a fast export that encodes nothing and has Asio read; the unit is a chunk of 64 KiB
// `loop` outlives the workload.
std::unique_ptr<loop_workload> start_workload(std::string_view name,
                                              const boost::asio::any_io_executor& loop,
                                              std::uint64_t count);

}  // namespace exportd::bench
