#include <exportd/pg/cursor.hpp>
#include <exportd/pg/cursor_factory.hpp>
#include <exportd/pg/transaction.hpp>
#include <exportd/pg/type_lookup.hpp>
#include <exportd/rows/wire.hpp>

#include <libpq-fe.h>
#include <limits>
#include <utility>

namespace exportd::pg {

namespace asio = boost::asio;
using boost::system::system_error;
using time_point = patience::clock::time_point;

namespace {

time_point first_row_deadline(const rows::query& q) {
    return q.first_row_timeout.count() > 0 ? patience::clock::now() + q.first_row_timeout
                                           : time_point::max();
}

asio::awaitable<rows::row_count> count_on(lease* held, rows::query q, std::uint64_t at_most,
                                          time_point deadline) {
    const patience p{{}, deadline, errc::first_row_timeout};
    auto& on = **held;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    begin_transaction(on, q);
    on.send(count_statement(q.sql, at_most < most ? at_most + 1 : most), q.parameters,
            parameter_types_of(q));
    on.sync();
    co_await on.flush(p);
    for (std::size_t i = 0; i < transaction_results; ++i)
        co_await on.next_result(p);
    const auto r = co_await on.next_result(p);
    const auto count = rows::load_big<std::uint64_t>(PQgetvalue(r.get(), 0, 0));
    held->complete();
    co_return count > at_most ? rows::row_count{at_most, false} : rows::row_count{count, true};
}

asio::awaitable<std::vector<rows::column>> describe_on(lease* held, rows::query q,
                                                       time_point deadline) {
    const patience p{{}, deadline, errc::first_row_timeout};
    auto& on = **held;
    begin_transaction(on, q);
    // What no cursor can be declared for is refused here, though it could be described.
    on.send_describe(declare_statement(q.sql), parameter_types_of(q));
    on.send_describe(q.sql, parameter_types_of(q));
    on.sync();
    co_await on.flush(p);
    constexpr std::size_t of_a_description = 2;
    for (std::size_t i = 0; i < transaction_results + of_a_description + 1; ++i)
        co_await on.next_result(p);
    const auto r = co_await on.next_result(p);
    if (PQnparams(r.get()) > static_cast<int>(q.parameters.size())) {
        throw server_error{errc::query_failed, {}, "the query has more parameters than are given"};
    }
    auto& types = held->owner().types();
    std::vector<type_map::oid> numbers;
    for (int c = 0; c < PQnfields(r.get()); ++c)
        numbers.push_back(PQftype(r.get(), c));
    if (!numbers.empty()) co_await look_up(on, numbers, types, p);
    std::vector<rows::column> columns;
    for (std::size_t c = 0; c < numbers.size(); ++c) {
        const auto* type = types.find(numbers[c]);
        columns.push_back({PQfname(r.get(), static_cast<int>(c)), type->kind, type->name});
    }
    held->complete();
    co_return columns;
}

// Whether the connection was dead before the query reached the server.
bool was_stale(const lease& held, const system_error& e) {
    return held && e.code() == errc::database_unavailable && !held->answered();
}

}  // namespace

template <class Answer, class Work>
asio::awaitable<Answer> cursor_factory::on_live_connection(rows::query q, Work work) {
    const auto deadline = first_row_deadline(q);
    auto held = co_await pool_->acquire();
    bool stale = false;
    try {
        co_return co_await work(&held, q, deadline);
    } catch (const system_error& e) {
        stale = was_stale(held, e);
        if (e.code() == errc::first_row_timeout) held.distrust();
        if (!stale) throw;
    }
    held.give_back();
    // The other idle ones are as old, or older.
    pool_->drop_idle();
    held = co_await pool_->acquire();
    co_return co_await work(&held, std::move(q), deadline);
}

asio::awaitable<rows::opened_rows> cursor_factory::open(rows::query q) {
    const auto work = [turns = turns_](lease* held, rows::query query, time_point deadline) {
        return cursor::open(*held, std::move(query), deadline, turns);
    };
    co_return co_await on_live_connection<rows::opened_rows>(std::move(q), work);
}

asio::awaitable<rows::row_count> cursor_factory::count(rows::query q, std::uint64_t at_most) {
    const auto work = [at_most](lease* held, rows::query query, time_point deadline) {
        return count_on(held, std::move(query), at_most, deadline);
    };
    co_return co_await on_live_connection<rows::row_count>(std::move(q), work);
}

asio::awaitable<std::vector<rows::column>> cursor_factory::describe(rows::query q) {
    co_return co_await on_live_connection<std::vector<rows::column>>(std::move(q), describe_on);
}

}  // namespace exportd::pg
