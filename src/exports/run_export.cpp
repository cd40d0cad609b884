#include <exportd/exports/run_export.hpp>

namespace exportd::exports {
namespace {

boost::asio::awaitable<void> send(rows::byte_buffer& chunk, const row_encoder& encoder,
                                  rows::byte_sink& sink, rows::totals& sent) {
    if (chunk.empty()) co_return;
    const std::size_t bytes = chunk.size();
    co_await sink.write(chunk);
    sent.bytes += bytes;
    sent.rows = encoder.rows();
}

}  // namespace

boost::asio::awaitable<void> run_export(rows::row_source& source, row_encoder& encoder,
                                        rows::byte_sink& sink, rows::turns& turns,
                                        std::function<turn_budget()> budget, rows::totals& sent) {
    rows::byte_buffer chunk;
    encoder.append_header(chunk);

    while (const auto batch = co_await source.next()) {
        co_await turns.next();
        while (!encoder.encode_some(*batch, chunk, budget())) {
            co_await send(chunk, encoder, sink, sent);
            co_await turns.next();
        }
        // Rows are held back only while more of them are at hand, and the first ones never.
        if (sent.bytes == 0 || !source.ready()) co_await send(chunk, encoder, sink, sent);
    }
    co_await send(chunk, encoder, sink, sent);
    co_await sink.finish(sent);
}

}  // namespace exportd::exports
