#pragma once

#include <exportd/format/decimal.hpp>
#include <exportd/format/text.hpp>
#include <exportd/rows/byte_buffer.hpp>

#include <memory>
#include <optional>
#include <string_view>

namespace exportd::format {

// Writes amounts as Intl.NumberFormat(locale, {style: 'currency', currency}) does: half-expand
// rounding to the currency's digits, any number of digits before the point, symbols and digits
// of the linked ICU's CLDR. Differences: an amount that rounds to zero has no sign; NaN,
// Infinity and -Infinity are written like that.
//
// A currency is used if its code is three capital ASCII letters after blanks at its end were
// dropped; also a code that nobody knows. Otherwise the amount is written as it is stored,
// followed by a space and the stored code, and text_flags::fallback is set.
//
// Everything is learned from ICU and checked against it by create(). Not thread-safe, not even
// its const functions: one for each thread.
class money_formatter {
public:
    // `locale` is a BCP 47 tag. Throws std::invalid_argument that names a locale Intl would
    // not know.
    static std::unique_ptr<money_formatter> create(std::string_view locale);

    money_formatter(const money_formatter&) = delete;
    money_formatter& operator=(const money_formatter&) = delete;
    ~money_formatter();

    // `currency` null is SQL's NULL: the plain amount, fallback is set. A code that is empty or
    // all blanks likewise: there is nothing to show.
    text_flags append(rows::byte_buffer& out, const decimal& amount,
                      const std::optional<std::string_view>& currency) const;

    // Whether amounts in every currency are written without ICU.
    bool fast() const noexcept;
    csv_class quoting() const noexcept;

private:
    struct state;
    explicit money_formatter(std::unique_ptr<state> s);
    std::unique_ptr<state> state_;
};

}  // namespace exportd::format
