#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace exportd::rows {

// One value in PostgreSQL's binary send format; see value_kind. Points into the batch.
struct cell {
    const char* data = nullptr;
    std::int32_t size = -1;  // bytes; -1 is NULL

    bool is_null() const noexcept { return size < 0; }
    std::string_view bytes() const noexcept {
        return is_null() ? std::string_view{}
                         : std::string_view{data, static_cast<std::size_t>(size)};
    }
};

// A few rows, whole in memory and immutable.
class row_batch {
public:
    virtual ~row_batch() = default;

    virtual std::size_t row_count() const noexcept = 0;

    // Fills out[0 .. columns) with the cells of row `row` < row_count(). The bytes stay valid
    // as long as the batch lives. Returns how many bytes the cells have together.
    virtual std::size_t read_row(std::size_t row, cell* out) const noexcept = 0;
};

}  // namespace exportd::rows
