#include <exportd/csv/writer.hpp>
#include <exportd/exports/row_encoder.hpp>

#include <algorithm>

namespace exportd::exports {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// A look at the clock costs about as much as a quarter of a row.
constexpr std::size_t rows_between_looks = 32;

// A row with more bytes than this is written column by column, its long texts in slices.
constexpr std::size_t small_row_bytes = 32 * 1024;

}  // namespace

row_encoder::row_encoder(std::vector<output_column> columns, std::size_t source_columns,
                         file_form form)
    : columns_{std::move(columns)}, cells_(source_columns), form_{form} {
}

void row_encoder::append_header(rows::byte_buffer& out) const {
    if (form_.byte_order_mark) out.append(byte_order_mark);
    bool first = true;
    for (const auto& column : columns_) {
        if (!first) out.append(",");
        first = false;
        csv::append_text(out, column.heading, form_.heading_guard);
    }
    out.append(form_.line_end);
}

bool row_encoder::encode_some(const rows::row_batch& batch, rows::byte_buffer& out,
                              const turn_budget& budget) {
    const auto deadline = std::chrono::steady_clock::now() + budget.time;
    const std::size_t count = batch.row_count();
    std::size_t until_look = rows_between_looks;
    while (row_ < count) {
        if (out.size() >= budget.bytes) return false;
        if (until_look-- == 0) {
            if (std::chrono::steady_clock::now() >= deadline) return false;
            until_look = rows_between_looks;
        }
        const std::size_t row_bytes = batch.read_row(row_, cells_.data());
        if (!encode_row(out, row_bytes, budget.bytes)) {
            // A slice of a long row counts for as much as many short rows.
            until_look = 0;
            continue;
        }
        ++row_;
        ++rows_;
    }
    row_ = 0;
    return true;
}

// Returns whether the row is complete.
bool row_encoder::encode_row(rows::byte_buffer& out, std::size_t row_bytes,
                             std::size_t slice_bytes) {
    if (column_ != 0 || slices_ || row_bytes > small_row_bytes) {
        return encode_sliced(out, slice_bytes);
    }
    const std::size_t count = columns_.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i != 0) *out.ensure(1) = ',', out.commit(out.data() + out.size() + 1);
        columns_[i].encoder->append(out, cells_.data());
    }
    out.append(form_.line_end);
    return true;
}

bool row_encoder::encode_sliced(rows::byte_buffer& out, std::size_t slice_bytes) {
    auto& encoder = *columns_[column_].encoder;
    if (!slices_) {
        if (column_ != 0) out.append(",");
        slices_ = encoder.slices(cells_.data());
        if (!slices_) encoder.append(out, cells_.data());
    }
    if (slices_) {
        if (!slices_->append_some(out, slice_bytes)) return false;
        slices_.reset();
    }
    if (++column_ < columns_.size()) return false;
    column_ = 0;
    out.append(form_.line_end);
    return true;
}

std::uint64_t row_encoder::fallbacks() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& column : columns_)
        sum += column.encoder->fallbacks();
    return sum;
}

}  // namespace exportd::exports
