#pragma once

#include <exportd/csv/writer.hpp>
#include <exportd/exports/column_encoder.hpp>
#include <exportd/rows/byte_buffer.hpp>
#include <exportd/rows/row_batch.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace exportd::exports {

// How much one call may do before it gives the loop back.
struct turn_budget {
    std::size_t bytes = 64 * 1024;
    std::chrono::steady_clock::duration time = std::chrono::milliseconds{1};
};

// How a file begins and its records end.
struct file_form {
    bool byte_order_mark = false;
    std::string_view line_end = "\n";
    csv::formula_guard heading_guard = csv::formula_guard::on;
};

// One column of the file.
struct output_column {
    std::string heading;
    std::unique_ptr<column_encoder> encoder;
};

// Turns batches into the bytes of a CSV file. One per export; pure but for the clock.
class row_encoder {
public:
    // `source_columns` is how many cells a row of the batches has.
    row_encoder(std::vector<output_column> columns, std::size_t source_columns, file_form form);

    // The byte order mark, if any, and the header row.
    void append_header(rows::byte_buffer& out) const;

    // Goes on with the batch where the last call stopped, until `out` holds the budget's bytes
    // or its time is over. Returns whether the batch is done; only then may another one follow.
    // A single call appends at most the budget and one small row or slice more. Throws
    // std::runtime_error when a cell's bytes are not what its type promises.
    bool encode_some(const rows::row_batch& batch, rows::byte_buffer& out,
                     const turn_budget& budget);

    // Rows completed so far.
    std::uint64_t rows() const noexcept { return rows_; }

    // Cells that could not be shown as configured and were written in their plain form.
    std::uint64_t fallbacks() const noexcept;

private:
    bool encode_row(rows::byte_buffer& out, std::size_t row_bytes, std::size_t slice_bytes);
    bool encode_sliced(rows::byte_buffer& out, std::size_t slice_bytes);

    std::vector<output_column> columns_;
    std::vector<rows::cell> cells_;
    file_form form_;
    std::uint64_t rows_ = 0;
    std::size_t row_ = 0;     // in the current batch
    std::size_t column_ = 0;  // in the current row, when it is written in slices
    std::unique_ptr<field_slices> slices_;
};

}  // namespace exportd::exports
