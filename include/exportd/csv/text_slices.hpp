#pragma once

#include <exportd/csv/writer.hpp>
#include <exportd/rows/byte_buffer.hpp>

#include <cstddef>
#include <string_view>

namespace exportd::csv {

// Appends one long text field a slice at a time, so that a cell of many megabytes neither blocks
// the loop nor needs a buffer of its size. The bytes are those of append_text(). The text has to
// outlive the object.
class text_slices {
public:
    text_slices(std::string_view text, formula_guard guard) noexcept;

    // Looks at or writes about `budget` bytes (> 0). Returns whether the field is complete.
    bool append_some(rows::byte_buffer& out, std::size_t budget);

private:
    bool look(std::size_t budget) noexcept;

    std::string_view text_;
    std::size_t looked_ = 0;
    std::size_t written_ = 0;
    bool guarded_;
    bool quoted_;
    bool opened_ = false;
};

}  // namespace exportd::csv
