#pragma once

#include <exportd/pg/pool.hpp>
#include <exportd/rows/row_source_factory.hpp>
#include <exportd/rows/turns.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace exportd::pg {

// Opens queries on the connections of a pool. A connection that turns out to be stale before
// the server said anything is replaced by a new one, once. Used on the pool's thread.
class cursor_factory final : public rows::row_source_factory {
public:
    // Queries' rows are taken apart in `turns`, which outlive all that is opened; null: at once.
    explicit cursor_factory(std::shared_ptr<pool> connections, rows::turns* turns = nullptr)
        : pool_(std::move(connections)), turns_(turns) {}

    boost::asio::awaitable<rows::opened_rows> open(rows::query q) override;
    boost::asio::awaitable<rows::row_count> count(rows::query q, std::uint64_t at_most) override;
    boost::asio::awaitable<std::vector<rows::column>> describe(rows::query q) override;

private:
    template <class Answer, class Work>
    boost::asio::awaitable<Answer> on_live_connection(rows::query q, Work work);

    std::shared_ptr<pool> pool_;
    rows::turns* turns_;
};

}  // namespace exportd::pg
