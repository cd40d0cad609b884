#pragma once

#include <exportd/format/decimal.hpp>
#include <exportd/format/text.hpp>
#include <exportd/rows/byte_buffer.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace exportd::format {

// How many digits a number shows after the point: rounded to `max`, then zeros at the end are
// dropped down to `min`. 0 <= min <= max <= 100, as in Intl.
struct fraction_digits {
    int min = 0;
    int max = 0;
};

// Writes numbers as Intl.NumberFormat(locale, {minimumFractionDigits, maximumFractionDigits})
// does: half-expand rounding, any number of digits. Differences: a number that rounds to zero
// has no sign; NaN, Infinity and -Infinity are written like that.
//
// Everything is learned from ICU and checked against it by create(). Not thread-safe, not even
// its const functions: one for each thread.
class number_formatter {
public:
    // `locale` is a BCP 47 tag. Without `digits` each value keeps the digits it is stored with
    // (of more than 999, a locale that is not fast() drops zeros at the end). Throws
    // std::invalid_argument that names a locale Intl would not know, or wrong digits.
    static std::unique_ptr<number_formatter> create(
        std::string_view locale, std::optional<fraction_digits> digits = std::nullopt);

    number_formatter(const number_formatter&) = delete;
    number_formatter& operator=(const number_formatter&) = delete;
    ~number_formatter();

    text_flags append(rows::byte_buffer& out, const decimal& value) const;
    text_flags append(rows::byte_buffer& out, std::int64_t value) const;

    // Whether values are written without ICU.
    bool fast() const noexcept;
    csv_class quoting() const noexcept;

private:
    struct state;
    explicit number_formatter(std::unique_ptr<state> s);
    std::unique_ptr<state> state_;
};

}  // namespace exportd::format
