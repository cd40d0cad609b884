#pragma once

#include <exportd/pg/fetch_size.hpp>
#include <exportd/pg/pool.hpp>
#include <exportd/pg/result_batch.hpp>
#include <exportd/rows/row_source.hpp>
#include <exportd/rows/row_source_factory.hpp>
#include <exportd/rows/turns.hpp>

#include <boost/asio/awaitable.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace exportd::pg {

// Reads one query through a cursor in a transaction of its own, with two FETCHes always on
// their way. Holds its lease until the last row was read or it is destroyed.
class cursor final : public rows::row_source {
public:
    // Starts the query and waits for its first row. Throws as rows::row_source_factory::open()
    // says, and rows::too_many_rows. `first_row` is when the wait ends. Batches are taken apart
    // in `turns`, if there are any.
    static boost::asio::awaitable<rows::opened_rows> open(lease& held, rows::query q,
                                                          patience::clock::time_point first_row,
                                                          rows::turns* turns);

    const std::vector<rows::column>& columns() const noexcept override { return columns_; }
    boost::asio::awaitable<std::unique_ptr<rows::row_batch>> next() override;
    bool ready() const noexcept override;

private:
    cursor(lease held, patience p, rows::turns* turns);

    boost::asio::awaitable<std::optional<std::uint64_t>> count(const rows::query* q);
    boost::asio::awaitable<bool> expects_many(const rows::query* q);
    void fetch(std::size_t rows);
    boost::asio::awaitable<result> receive();
    std::unique_ptr<rows::row_batch> accept(result r, patience::clock::duration waited);

    lease lease_;
    patience patience_;
    rows::turns* turns_;
    std::vector<rows::column> columns_;
    std::deque<std::size_t> asked_;  // rows asked for by the FETCHes on their way
    std::unique_ptr<rows::row_batch> first_;
    fetch_size size_;
    std::uint64_t row_limit_ = 0;  // when the rows were not counted ahead; 0: none
    std::uint64_t delivered_ = 0;
    bool ended_ = false;
};

}  // namespace exportd::pg
