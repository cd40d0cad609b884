// Any texts become one record that a reader of its own takes apart again.
#include <exportd/csv/writer.hpp>

#include <fuzzer/FuzzedDataProvider.h>

#include "check.hpp"
#include "strict_csv.hpp"

using namespace exportd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider in{data, size};
    const auto guard = in.ConsumeBool() ? csv::formula_guard::on : csv::formula_guard::off;
    std::vector<std::string> cells;
    do {
        cells.push_back(in.ConsumeRandomLengthString());
    } while (in.remaining_bytes() > 0);
    rows::byte_buffer out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i != 0) out.append(",");
        csv::append_text(out, cells[i], guard);
    }
    out.append("\n");
    const auto record = fuzz::read_record(out.view(), "\n");
    fuzz::check(record && record->size() == cells.size(), "one field for each cell");
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool defused = guard == csv::formula_guard::on && csv::looks_like_formula(cells[i]);
        fuzz::check((*record)[i] == (defused ? "'" + cells[i] : cells[i]), "the cell comes back");
        fuzz::check(!defused || !csv::looks_like_formula(*(*record)[i]), "no formula is left");
    }
    return 0;
}
