#pragma once

#include <exportd/format/decimal.hpp>
#include <exportd/format/number.hpp>

#include "number_shape.hpp"
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::format {

// One number format of ICU, set up as Intl does it, with half-expand rounding and without the
// sign of a zero.
class icu_number {
public:
    struct options {
        std::string locale;    // an ICU id
        std::string currency;  // empty: a plain number
        // Without: as many as the currency has; a plain number keeps its own.
        std::optional<fraction_digits> digits;
    };

    explicit icu_number(const options& wanted);
    icu_number(icu_number&&) noexcept;
    icu_number& operator=(icu_number&&) noexcept;
    ~icu_number();

    // The text of a finite number, UTF-8.
    std::string format(const decimal& value) const;

    // Learns the shape from ICU's own texts of a few numbers. Null if they have a form that a
    // shape can't express. Whether it is right for other numbers is not known yet.
    std::optional<number_shape> learn_shape() const;

    // The digits after the point; only with options::digits or a currency.
    fraction_digits digits() const noexcept { return digits_; }

private:
    struct formatter;
    std::unique_ptr<formatter> formatter_;
    fraction_digits digits_;
    bool own_scale_ = false;
};

// Every code that ICU knows as a currency, old ones too, sorted; XXX among them.
std::vector<std::string> icu_currencies();

}  // namespace exportd::format
