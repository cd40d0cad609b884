#pragma once

#include <exportd/csv/writer.hpp>
#include <exportd/exports/column_encoder.hpp>
#include <exportd/format/date_time.hpp>
#include <exportd/format/money.hpp>
#include <exportd/format/number.hpp>
#include <exportd/rows/column.hpp>

#include <memory>
#include <string>

namespace exportd::exports {

// Where an encoder finds its cell, and what to call it when it is malformed.
struct cell_place {
    std::size_t index = 0;
    std::string name;
};

// The encoders behind row_encoder, one maker each. Formatters outlive what is made of them.
std::unique_ptr<column_encoder> make_text_encoder(cell_place at, rows::value_kind kind,
                                                  csv::formula_guard guard);

// The value as it is stored, without a locale: see format/iso.hpp and format::append_plain().
std::unique_ptr<column_encoder> make_plain_encoder(cell_place at, rows::value_kind kind);

std::unique_ptr<column_encoder> make_number_encoder(cell_place at, rows::value_kind kind,
                                                    const format::number_formatter& f);

// `currency` is the place of the code; the guard is for codes that are none.
std::unique_ptr<column_encoder> make_money_encoder(cell_place at, rows::value_kind kind,
                                                   cell_place currency,
                                                   const format::money_formatter& f,
                                                   csv::formula_guard guard);

std::unique_ptr<column_encoder> make_date_time_encoder(cell_place at, rows::value_kind kind,
                                                       const format::date_time_formatter& f);

bool is_text(rows::value_kind kind) noexcept;
bool is_exact_number(rows::value_kind kind) noexcept;  // integers and numeric
bool is_date_or_time(rows::value_kind kind) noexcept;

}  // namespace exportd::exports
