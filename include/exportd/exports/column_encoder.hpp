#pragma once

#include <exportd/rows/byte_buffer.hpp>
#include <exportd/rows/row_batch.hpp>

#include <cstdint>
#include <memory>

namespace exportd::exports {

// Writes one long field a slice at a time. Refers to the cell's bytes.
class field_slices {
public:
    virtual ~field_slices() = default;

    // Looks at or writes about `budget` bytes (> 0). Returns whether the field is complete.
    virtual bool append_some(rows::byte_buffer& out, std::size_t budget) = 0;
};

// Writes one field of every row. Chosen once per export from the column's type and format.
class column_encoder {
public:
    virtual ~column_encoder() = default;

    // Appends the field of this row; nothing at all for NULL. `row` has the cells of all columns
    // of the query. Throws std::runtime_error when the bytes are malformed.
    virtual void append(rows::byte_buffer& out, const rows::cell* row) = 0;

    // For a long cell: its field in slices. Null when append() is to be used.
    virtual std::unique_ptr<field_slices> slices(const rows::cell* /*row*/) const {
        return nullptr;
    }

    // Cells that were written in their plain form because the configured one did not fit.
    std::uint64_t fallbacks() const noexcept { return fallbacks_; }

protected:
    std::uint64_t fallbacks_ = 0;
};

}  // namespace exportd::exports
