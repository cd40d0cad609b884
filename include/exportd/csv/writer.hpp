#pragma once

#include <exportd/rows/byte_buffer.hpp>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace exportd::csv {

// Whether free text that a spreadsheet would run as a formula is defused.
enum class formula_guard : bool { off, on };

// Appends one field of free text (UTF-8 or any bytes; they are not changed).
//
// RFC 4180 section 2: quoted when it holds a comma, a double quote, CR or LF, with inner double
// quotes doubled; here also when it begins or ends with a space, which some readers strip. An
// empty text is `""`, so that it differs from NULL, which is no bytes at all (as in COPY,
// PostgreSQL manual, "File Formats"). With the guard on, text that looks_like_formula() gets a
// leading apostrophe and quotes.
void append_text(rows::byte_buffer& out, std::string_view text, formula_guard guard);

// Whether a spreadsheet would take the text for a formula: it begins with TAB or CR, or, after
// optional white space, with = + - @ or one of their full-width and small forms.
bool looks_like_formula(std::string_view text) noexcept;

// Writes a field whose text comes from elsewhere and whose need of quotes is known only once it
// is written:
//     auto mark = begin_field(out);  write(out);  end_field(out, mark, quoted);
// The text must not hold a double quote.
inline std::size_t begin_field(rows::byte_buffer& out) {
    const std::size_t mark = out.size();
    char* at = out.ensure(1);
    *at = '"';
    out.commit(at + 1);
    return mark;
}

inline void end_field(rows::byte_buffer& out, std::size_t mark, bool quoted) {
    constexpr std::size_t block = 16;
    // Room for the quote, and for moving a short field in whole blocks.
    char* end = out.ensure(2 * block);
    if (quoted) {
        *end = '"';
        out.commit(end + 1);
        return;
    }
    char* field = out.data() + mark;
    const std::size_t size = out.size() - mark - 1;
    if (size <= 2 * block) {
        char text[2 * block];
        std::memcpy(text, field + 1, sizeof text);
        std::memcpy(field, text, sizeof text);
    } else {
        std::memmove(field, field + 1, size);
    }
    out.commit(end - 1);
}

}  // namespace exportd::csv
