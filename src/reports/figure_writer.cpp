#include "figure_writer.hpp"

#include <stdexcept>

namespace exportd::reports {

figure_writer::figure_writer(std::string_view locale)
    : money_{format::money_formatter::create(locale)} {
}

figure figure_writer::make(amount value, std::string_view currency) const {
    const amount exact = value;
    return make(std::move(value), exact, currency);
}

figure figure_writer::make(amount value, const amount& exact, std::string_view currency) const {
    const auto wire = exact.wire();
    const auto decimal = format::parse_numeric(wire);
    if (!decimal) throw std::invalid_argument{"a number that PostgreSQL does not have"};
    rows::byte_buffer out;
    money_->append(out, *decimal, currency);
    return {std::move(value), std::string{out.view()}};
}

}  // namespace exportd::reports
