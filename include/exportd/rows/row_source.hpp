#pragma once

#include <exportd/rows/column.hpp>
#include <exportd/rows/row_batch.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <vector>

namespace exportd::rows {

// Produces the rows of one query, in order, from one snapshot. The destructor ends the query
// early if it still runs. Used on the thread of its executor only.
class row_source {
public:
    virtual ~row_source() = default;

    virtual const std::vector<column>& columns() const noexcept = 0;

    // The next batch, never an empty one; null once, at the end. Throws
    // boost::system::system_error with an errc when the rows can't all be had.
    virtual boost::asio::awaitable<std::unique_ptr<row_batch>> next() = 0;

    // Whether next() would return without waiting for the network.
    virtual bool ready() const noexcept = 0;
};

}  // namespace exportd::rows
