#include <exportd/csv/text_slices.hpp>
#include <exportd/csv/writer.hpp>
#include <exportd/exports/run_export.hpp>
#include <exportd/rows/errc.hpp>
#include <exportd/work/turnstile.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

#include "catch.hpp"
#include <exception>
#include <string>
#include <vector>

using namespace exportd;

namespace {

struct text_batch final : rows::row_batch {
    explicit text_batch(std::vector<std::string> c) : cells{std::move(c)} {}
    std::size_t row_count() const noexcept override { return cells.size(); }
    std::size_t read_row(std::size_t row, rows::cell* out) const noexcept override {
        out[0] = {cells[row].data(), static_cast<std::int32_t>(cells[row].size())};
        return cells[row].size();
    }
    std::vector<std::string> cells;
};

// Hands out prepared batches, then ends or fails.
struct scripted_source final : rows::row_source {
    std::vector<std::vector<std::string>> batches;
    bool fails = false;
    bool always_ready = false;
    std::size_t next_batch = 0;
    std::vector<rows::column> cols{{"t", rows::value_kind::text, "text"}};

    const std::vector<rows::column>& columns() const noexcept override { return cols; }
    bool ready() const noexcept override { return always_ready; }
    boost::asio::awaitable<std::unique_ptr<rows::row_batch>> next() override {
        if (next_batch < batches.size())
            co_return std::make_unique<text_batch>(batches[next_batch++]);
        if (fails) throw boost::system::system_error{errc::query_failed};
        co_return nullptr;
    }
};

struct recording_sink final : rows::byte_sink {
    std::vector<std::string> chunks;
    std::string ending;

    boost::asio::awaitable<void> write(rows::byte_buffer& chunk) override {
        chunks.emplace_back(chunk.view());
        chunk.clear();
        co_return;
    }
    boost::asio::awaitable<void> finish(rows::totals sent) override {
        ending = "finished " + std::to_string(sent.rows) + " " + std::to_string(sent.bytes);
        co_return;
    }
    void abort() noexcept override { ending = "aborted"; }
};

struct text_field final : exports::field_slices {
    explicit text_field(std::string_view text) : slices{text, csv::formula_guard::on} {}
    bool append_some(rows::byte_buffer& out, std::size_t budget) override {
        return slices.append_some(out, budget);
    }
    csv::text_slices slices;
};

struct text_encoder final : exports::column_encoder {
    void append(rows::byte_buffer& out, const rows::cell* row) override {
        csv::append_text(out, row[0].bytes(), csv::formula_guard::on);
    }
    std::unique_ptr<exports::field_slices> slices(const rows::cell* row) const override {
        return std::make_unique<text_field>(row[0].bytes());
    }
};

exports::row_encoder make_encoder(exports::file_form form = {}) {
    std::vector<exports::output_column> columns;
    columns.push_back({"t", std::make_unique<text_encoder>()});
    return {std::move(columns), 1, form};
}

struct outcome {
    rows::totals sent;
    std::exception_ptr failure;
};

outcome run(scripted_source& source, exports::row_encoder& encoder, recording_sink& sink,
            std::size_t bytes) {
    boost::asio::io_context loop;
    work::turnstile turns{loop.get_executor()};
    outcome out;
    const auto budget = [bytes] { return exports::turn_budget{bytes, std::chrono::hours{1}}; };
    boost::asio::co_spawn(loop, exports::run_export(source, encoder, sink, turns, budget, out.sent),
                          [&](std::exception_ptr e) { out.failure = e; });
    loop.run();
    return out;
}

std::string joined(const recording_sink& sink) {
    std::string all;
    for (const auto& chunk : sink.chunks)
        all += chunk;
    return all;
}

}  // namespace

TEST_CASE("rows are sent batch by batch and counted", "[exports]") {
    scripted_source source;
    source.batches = {{"one"}, {"two", "three"}};
    recording_sink sink;
    auto encoder = make_encoder();
    const auto out = run(source, encoder, sink, 1000);
    CHECK(sink.chunks == std::vector<std::string>{"t\none\n", "two\nthree\n"});
    CHECK(sink.ending == "finished 3 16");
    CHECK(out.sent.rows == 3);
    CHECK(out.sent.bytes == 16);
}

TEST_CASE("a file without rows is its header", "[exports]") {
    scripted_source source;
    recording_sink sink;
    auto encoder = make_encoder({true, "\r\n"});
    run(source, encoder, sink, 1000);
    CHECK(joined(sink) == "\xEF\xBB\xBFt\r\n");
    CHECK(sink.ending == "finished 0 6");
}

TEST_CASE("rows wait for each other only while more are at hand", "[exports]") {
    scripted_source source;
    source.always_ready = true;
    source.batches = {{"a"}, {"b"}, {"c"}, {"d"}};
    recording_sink sink;
    auto encoder = make_encoder();
    run(source, encoder, sink, 1000);
    CHECK(sink.chunks == std::vector<std::string>{"t\na\n", "b\nc\nd\n"});
}

TEST_CASE("a chunk is written when the budget's bytes are reached", "[exports]") {
    scripted_source source;
    source.always_ready = true;
    source.batches = {{"aaaa", "bbbb", "cccc", "dddd"}};
    recording_sink sink;
    auto encoder = make_encoder();
    run(source, encoder, sink, 10);
    CHECK(sink.chunks == std::vector<std::string>{"t\naaaa\nbbbb\n", "cccc\ndddd\n"});
}

TEST_CASE("a source that fails leaves the file unfinished", "[exports]") {
    scripted_source source;
    source.batches = {{"one"}};
    source.fails = true;
    recording_sink sink;
    auto encoder = make_encoder();
    const auto out = run(source, encoder, sink, 1000);
    REQUIRE(out.failure);
    CHECK_THROWS_AS(std::rethrow_exception(out.failure), boost::system::system_error);
    CHECK(joined(sink) == "t\none\n");
    CHECK(sink.ending.empty());
    CHECK(out.sent.rows == 1);
}

TEST_CASE("a cell of many megabytes passes in small chunks", "[exports]") {
    const std::string wide(3'000'000, '"');
    scripted_source source;
    source.batches = {{"a", wide, "b"}};
    recording_sink sink;
    auto encoder = make_encoder();
    run(source, encoder, sink, 64 * 1024);
    std::size_t largest = 0;
    for (const auto& chunk : sink.chunks)
        largest = std::max(largest, chunk.size());
    CHECK(largest <= 3 * 64 * 1024 + 16);
    CHECK(joined(sink) == "t\na\n\"" + wide + wide + "\"\nb\n");
    CHECK(encoder.rows() == 3);
}
