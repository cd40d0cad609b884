#pragma once

#include <exportd/format/money.hpp>
#include <exportd/reports/report.hpp>

#include <memory>
#include <string>

namespace exportd::reports {

// Writes amounts as the export's formatted CSV has them. For one thread.
class figure_writer {
public:
    // Throws std::invalid_argument for an unknown locale.
    explicit figure_writer(std::string_view locale);

    figure make(amount value, std::string_view currency) const;

    // `exact` is what is written, `value` what is told as the raw value.
    figure make(amount value, const amount& exact, std::string_view currency) const;

private:
    std::unique_ptr<format::money_formatter> money_;
};

}  // namespace exportd::reports
