#include <exportd/pg/cursor.hpp>
#include <exportd/pg/transaction.hpp>
#include <exportd/pg/type_lookup.hpp>
#include <exportd/rows/wire.hpp>

#include <cstdlib>
#include <libpq-fe.h>
#include <limits>
#include <string>
#include <string_view>
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
    const auto count = rows::load_big<std::uint64_t>(PQgetvalue(r, 0, 0));
    return {count, count < at_most};
}

// The rows that the planner expects, from EXPLAIN (FORMAT JSON): the first plan is the outermost.
double planned_rows(const PGresult* r) {
    const std::string_view plan{PQgetvalue(r, 0, 0),
                                static_cast<std::size_t>(PQgetlength(r, 0, 0))};
    constexpr std::string_view key = "\"Plan Rows\":";
    const auto at = plan.find(key);
    if (at == std::string_view::npos) return 0;
    return std::strtod(std::string{plan.substr(at + key.size(), 32)}.c_str(), nullptr);
}

// Whether these are all the rows that the server says it sent: a short batch ends the export.
bool is_whole(const PGresult* r) {
    return PQresultStatus(r) == PGRES_TUPLES_OK &&
           std::to_string(PQntuples(r)) == PQcmdTuples(const_cast<PGresult*>(r));
}

bool was_too_slow(const server_error& e) {
    return e.sqlstate() == "57014";  // query_canceled, which is what statement_timeout raises
}

}  // namespace

cursor::cursor(lease held, patience p, rows::turns* turns)
    : lease_(std::move(held)), patience_(p), turns_(turns) {
}

void cursor::fetch(std::size_t rows) {
    lease_->send("FETCH FORWARD " + std::to_string(rows) + " FROM c");
    lease_->sync();
    asked_.push_back(rows);
}

asio::awaitable<result> cursor::receive() {
    try {
        co_return co_await lease_->next_result(patience_, turns_);
    } catch (const boost::system::system_error& e) {
        if (e.code() == errc::progress_timeout || e.code() == errc::first_row_timeout)
            lease_.distrust();
        throw;
    }
}

asio::awaitable<rows::opened_rows> cursor::open(lease& held, rows::query q,
                                                patience::clock::time_point first_row,
                                                rows::turns* turns) {
    auto& types = held.owner().types();
    std::unique_ptr<cursor> self{
        new cursor{std::move(held), {{}, first_row, errc::first_row_timeout}, turns}};
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
    rows::opened_rows opened;
    std::size_t begun = transaction_results;
    if (q.row_limit > 0) {
        opened.expected_rows = co_await self->count(&q);
        begun = 0;
    }
    on.send(declare_statement(q.sql), q.parameters, parameter_types_of(q));
    self->fetch(fetch_size::first);
    co_await on.flush(self->patience_);
    for (std::size_t i = 0; i < begun; ++i)
        co_await self->receive();
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

// Whether the planner expects a number of rows that may pass the limit. Also takes the results
// of begin_transaction().
asio::awaitable<bool> cursor::expects_many(const rows::query* q) {
    constexpr double caution = 4;  // estimates are often this wrong
    lease_->send("EXPLAIN (FORMAT JSON)\n" + q->sql, q->parameters, parameter_types_of(*q));
    lease_->sync();
    co_await lease_->flush(patience_);
    for (std::size_t i = 0; i < transaction_results; ++i)
        co_await receive();
    const auto plan = co_await receive();
    co_return planned_rows(plan.get()) * caution >= static_cast<double>(q->row_limit);
}

// Counts in the transaction's own snapshot, behind a savepoint, so that giving up does not end it.
// nullopt: that would take too long, and next() has to watch the limit.
asio::awaitable<std::optional<std::uint64_t>> cursor::count(const rows::query* q) {
    const bool hurried = !co_await expects_many(q) && q->count_timeout.count() > 0;
    const auto at_most = count_limit(q->row_limit);
    auto& on = *lease_;
    on.send("SAVEPOINT counting");
    on.send("SELECT set_config('statement_timeout',$1,true)",
            {std::to_string((hurried ? q->count_timeout : q->total_timeout).count())});
    on.send(count_statement(q->sql, at_most), q->parameters, parameter_types_of(*q));
    on.sync();
    on.send("ROLLBACK TO SAVEPOINT counting");
    on.sync();
    co_await on.flush(patience_);
    co_await receive();
    co_await receive();
    std::optional<rows::row_count> found;
    try {
        const auto r = co_await receive();
        found = counted(r.get(), at_most);
    } catch (const server_error& e) {
        if (!hurried || !was_too_slow(e)) throw;
        row_limit_ = q->row_limit;
    }
    co_await receive();
    if (!found) co_return std::nullopt;
    if (found->rows > q->row_limit) throw rows::too_many_rows{*found, q->row_limit};
    co_return found->rows;
}

std::unique_ptr<rows::row_batch> cursor::accept(result r, patience::clock::duration waited) {
    if (!is_whole(r.get())) {
        throw server_error{errc::database_unavailable, {}, "a batch without its end"};
    }
    auto batch = std::make_unique<result_batch>(std::move(r));
    const auto asked = asked_.front();
    asked_.pop_front();
    delivered_ += batch->row_count();
    if (row_limit_ != 0 && delivered_ > row_limit_) {
        throw server_error{errc::too_many_rows, {}, "more rows than may be streamed"};
    }
    ended_ = batch->row_count() < asked;
    if (ended_) {
        lease_.complete();
        lease_.give_back();
    } else {
        size_.observe(batch->row_count(), batch->wire_bytes(), waited,
                      lease_.owner().stats().leased);
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
