#include <exportd/format/number.hpp>

#include "decimal_digits.hpp"
#include "icu_locale.hpp"
#include "icu_number.hpp"
#include "number_shape.hpp"
#include "shape_check.hpp"
#include <stdexcept>

namespace exportd::format {

struct number_formatter::state {
    std::optional<fraction_digits> digits;
    icu_number icu;
    std::optional<number_shape> shape;  // null: every value through ICU
    csv_class quoting = csv_class::may_need_quotes;
    mutable std::string scratch;
};

std::unique_ptr<number_formatter> number_formatter::create(std::string_view locale,
                                                           std::optional<fraction_digits> digits) {
    if (digits && (digits->min < 0 || digits->min > digits->max || digits->max > 100)) {
        throw std::invalid_argument("fraction digits must be 0 <= min <= max <= 100");
    }
    auto s = std::make_unique<state>(state{
        .digits = digits,
        .icu =
            icu_number({.locale = icu_locale_id(locale, false), .currency = {}, .digits = digits}),
        .shape = {},
        .scratch = {}});
    s->shape = s->icu.learn_shape();
    if (s->shape && !agrees_with_icu(*s->shape, s->icu, !digits, thoroughness::every_branch)) {
        s->shape.reset();
    }
    if (s->shape) {
        const bool always = digits && digits->min > 0;
        const bool ever = !digits || digits->max > 0;
        s->quoting = s->shape->quoting(always, ever);
    }
    return std::unique_ptr<number_formatter>(new number_formatter(std::move(s)));
}

number_formatter::number_formatter(std::unique_ptr<state> s) : state_(std::move(s)) {
}
number_formatter::~number_formatter() = default;

text_flags number_formatter::append(rows::byte_buffer& out, const decimal& value) const {
    if (!value.is_finite()) {
        out.append(special_text(value.what));
        return {};
    }
    if (!state_->shape) return write_through_icu(state_->icu, out, value);
    const fraction_digits digits =
        state_->digits ? *state_->digits : fraction_digits{value.dscale, value.dscale};
    return write_rounded(*state_->shape, out, value, digits, state_->scratch);
}

text_flags number_formatter::append(rows::byte_buffer& out, std::int64_t value) const {
    const decimal number = decimal::from_int64(value);
    if (!state_->shape || state_->digits) return append(out, number);
    return write_scaled(*state_->shape, out, number.negative, number.magnitude, 0);
}

bool number_formatter::fast() const noexcept {
    return state_->shape.has_value();
}
csv_class number_formatter::quoting() const noexcept {
    return state_->quoting;
}

}  // namespace exportd::format
