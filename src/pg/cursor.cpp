#include <exportd/pg/cursor.hpp>
#include <exportd/pg/transaction.hpp>
#include <exportd/pg/type_lookup.hpp>

#include <boost/endian/conversion.hpp>

#include <cstring>
#include <libpq-fe.h>
#include <limits>
#include <string>
#include <utility>

namespace exportd::pg {

namespace asio = boost::asio;
using rows::value_kind;

namespace {

// How far the refusal of a query that has too many rows counts on.
constexpr std::uint64_t counted_times = 10;

std::uint64_t count_limit(std::uint64_t row_limit) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return row_limit > (most - 1) / counted_times ? most : counted_times * row_limit + 1;
}

std::vector<type_map::oid> unknown_types(const PGresult* r, const type_map& types) {
    std::vector<type_map::oid> unknown;
    for (int c = 0; c < PQnfields(r); ++c) {
        if (!types.find(PQftype(r, c))) unknown.push_back(PQftype(r, c));
    }
    return unknown;
}

std::vector<rows::column> columns_of(const PGresult* r, const type_map& types) {
    std::vector<rows::column> columns;
    for (int c = 0; c < PQnfields(r); ++c) {
        const auto* type = types.find(PQftype(r, c));
        columns.push_back({PQfname(r, c), type->kind, type->name});
        if (type->kind == value_kind::unsupported) {
            throw server_error{errc::unsupported_type,
                               {},
                               "cast column " + columns.back().name + " of type " + type->name +
                                   " to text in the query"};
        }
    }
    return columns;
}

rows::row_count counted(const PGresult* r, std::uint64_t at_most) {
    std::uint64_t big = 0;
    std::memcpy(&big, PQgetvalue(r, 0, 0), sizeof big);
    const auto rows = boost::endian::big_to_native(big);
    return {rows, rows < at_most};
}

}  // namespace

cursor::cursor(lease held, patience p) : lease_(std::move(held)), patience_(p) {
}

void cursor::fetch(std::size_t rows) {
    lease_->send("FETCH FORWARD " + std::to_string(rows) + " FROM c");
    lease_->sync();
    asked_.push_back(rows);
}

asio::awaitable<result> cursor::receive() {
    try {
        co_return co_await lease_->next_result(patience_);
    } catch (const boost::system::system_error& e) {
        if (e.code() == errc::progress_timeout || e.code() == errc::first_row_timeout)
            lease_.distrust();
        throw;
    }
}

asio::awaitable<rows::opened_rows> cursor::open(lease& held, rows::query q,
                                                patience::clock::time_point first_row) {
    auto& types = held.owner().types();
    std::unique_ptr<cursor> self{
        new cursor{std::move(held), {{}, first_row, errc::first_row_timeout}}};
    struct hand_back {
        lease& to;
        cursor& from;
        bool opened = false;
        ~hand_back() {
            if (!opened) to = std::move(from.lease_);
        }
    } guard{held, *self};

    auto& on = *self->lease_;
    begin_transaction(on, q);
    if (q.row_limit > 0) on.send(count_statement(q.sql, count_limit(q.row_limit)), q.parameters);
    on.send("DECLARE c NO SCROLL CURSOR FOR " + q.sql, q.parameters);
    self->fetch(fetch_size::first);
    co_await on.flush(self->patience_);

    rows::opened_rows opened;
    for (std::size_t i = 0; i < transaction_results; ++i)
        co_await self->receive();
    if (q.row_limit > 0) {
        const auto count = counted((co_await self->receive()).get(), count_limit(q.row_limit));
        if (count.rows > q.row_limit) throw rows::too_many_rows{count, q.row_limit};
        opened.expected_rows = count.rows;
    }
    co_await self->receive();  // DECLARE
    auto first = co_await self->receive();
    self->patience_ = {self->lease_.owner().config().progress_timeout};
    if (auto unknown = unknown_types(first.get(), types); !unknown.empty()) {
        co_await look_up(on, std::move(unknown), types, self->patience_);
    }
    self->columns_ = columns_of(first.get(), types);
    self->first_ = self->accept(std::move(first), {});
    if (!self->ended_) {
        // Only now is it known how wide a row is, and with that how many a batch may hold.
        self->fetch(self->size_.rows());
        co_await on.flush(self->patience_);
    }
    guard.opened = true;
    opened.source = std::move(self);
    co_return opened;
}

std::unique_ptr<rows::row_batch> cursor::accept(result r, patience::clock::duration waited) {
    auto batch = std::make_unique<result_batch>(std::move(r));
    const auto asked = asked_.front();
    asked_.pop_front();
    ended_ = batch->row_count() < asked;
    if (ended_) {
        lease_.complete();
        lease_.give_back();
    } else {
        size_.observe(batch->row_count(), batch->wire_bytes(), waited);
    }
    if (batch->row_count() == 0) return nullptr;
    return batch;
}

asio::awaitable<std::unique_ptr<rows::row_batch>> cursor::next() {
    if (first_) co_return std::move(first_);
    if (ended_) co_return nullptr;
    // The next FETCH goes out before this one's rows are used, so the server always has one.
    fetch(size_.rows());
    co_await lease_->flush(patience_);
    const auto began = patience::clock::now();
    auto r = co_await receive();
    co_return accept(std::move(r), patience::clock::now() - began);
}

bool cursor::ready() const noexcept {
    return first_ || ended_ || lease_->ready();
}

}  // namespace exportd::pg
