#include <exportd/pg/result_batch.hpp>

#include <algorithm>
#include <libpq-fe.h>
#include <utility>

namespace exportd::pg {

namespace {

constexpr std::size_t counted_one_by_one = 64;
constexpr std::size_t message_header = 7;  // type, length, number of columns
constexpr std::size_t cell_header = 4;     // length
// What libpq keeps for a cell beside its bytes: pointer, length, a closing zero and, on
// average, half of the alignment.
constexpr std::size_t cell_overhead = 21;
constexpr std::size_t row_overhead = sizeof(void*);

}  // namespace

result_batch::result_batch(result rows)
    : result_(std::move(rows)),
      rows_(static_cast<std::size_t>(PQntuples(result_.get()))),
      columns_(PQnfields(result_.get())) {
}

std::size_t result_batch::read_row(std::size_t row, rows::cell* out) const noexcept {
    const PGresult* r = result_.get();
    const int number = static_cast<int>(row);
    std::size_t bytes = 0;
    for (int column = 0; column < columns_; ++column) {
        const int size = PQgetlength(r, number, column);
        out[column].data = PQgetvalue(r, number, column);
        out[column].size = size == 0 && PQgetisnull(r, number, column) ? -1 : size;
        bytes += static_cast<std::size_t>(size);
    }
    return bytes;
}

std::size_t result_batch::wire_bytes() const noexcept {
    const auto columns = static_cast<std::size_t>(columns_);
    const auto headers = rows_ * (message_header + cell_header * columns);
    if (rows_ <= counted_one_by_one) {
        std::size_t bytes = headers;
        for (std::size_t row = 0; row < rows_; ++row) {
            for (int c = 0; c < columns_; ++c) {
                bytes +=
                    static_cast<std::size_t>(PQgetlength(result_.get(), static_cast<int>(row), c));
            }
        }
        return bytes;
    }
    const auto overhead = rows_ * (row_overhead + cell_overhead * columns);
    return headers + std::max(PQresultMemorySize(result_.get()), overhead) - overhead;
}

}  // namespace exportd::pg
