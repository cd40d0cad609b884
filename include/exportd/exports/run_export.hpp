#pragma once

#include <exportd/exports/row_encoder.hpp>
#include <exportd/rows/byte_sink.hpp>
#include <exportd/rows/row_source.hpp>
#include <exportd/rows/turns.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>

namespace exportd::exports {

// Pumps all rows of the source through the encoder into the sink and ends the file as complete.
// `sent` counts as it goes. Each slice is encoded in a turn of its own; asked before it, `budget`
// may shrink it while others need the loop too.
//
// Throws what the source and the sink throw; the sink is then left unfinished, which its owner's
// abort() or its destructor makes visible to the receiver. The references have to outlive the
// coroutine. Runs on the thread that awaits it.
boost::asio::awaitable<void> run_export(rows::row_source& source, row_encoder& encoder,
                                        rows::byte_sink& sink, rows::turns& turns,
                                        std::function<turn_budget()> budget, rows::totals& sent);

}  // namespace exportd::exports
