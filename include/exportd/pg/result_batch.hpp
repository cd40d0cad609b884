#pragma once

#include <exportd/pg/result.hpp>
#include <exportd/rows/row_batch.hpp>

#include <cstddef>

namespace exportd::pg {

// The rows of one binary result, read where libpq put them.
class result_batch final : public rows::row_batch {
public:
    explicit result_batch(result rows);

    std::size_t row_count() const noexcept override { return rows_; }
    std::size_t read_row(std::size_t row, rows::cell* out) const noexcept override;

    // About what the rows took on the wire: exact for a few rows, else within some percent.
    std::size_t wire_bytes() const noexcept;

private:
    result result_;
    std::size_t rows_;
    int columns_;
};

}  // namespace exportd::pg
