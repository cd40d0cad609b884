#include <exportd/sql/session.hpp>

#include <pqxx/pqxx>

#include "watchdog.hpp"
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace exportd::sql {

namespace {

// libpqxx 7 takes parameters in another way than 6 does.
pqxx::result run(pqxx::transaction_base& in, const std::string& statement,
                 const parameters& given) {
    std::vector<const char*> values;
    for (const auto& value : given)
        values.push_back(value ? value->c_str() : nullptr);
#if defined(PQXX_VERSION_MAJOR) && PQXX_VERSION_MAJOR >= 7
    pqxx::params all;
    for (const auto* value : values)
        all.append(value);
    return in.exec(statement, all);
#else
    return in.exec_params(statement,
                          pqxx::prepare::make_dynamic_params(values.begin(), values.end()));
#endif
}

result copy_of(const pqxx::result& got) {
    std::vector<std::string> columns;
    for (pqxx::row_size_type c = 0; c < got.columns(); ++c)
        columns.emplace_back(got.column_name(c));
    std::vector<text> cells;
    cells.reserve(static_cast<std::size_t>(got.size()) * columns.size());
    for (const auto& row : got) {
        for (const auto& field : row) {
            if (field.is_null())
                cells.emplace_back();
            else
                cells.emplace_back(std::string{field.c_str(), field.size()});
        }
    }
    return {std::move(columns), std::move(cells), static_cast<std::size_t>(got.affected_rows())};
}

// A connection string is a URI or a list of pairs; a later option wins over an earlier one.
std::string with_options(const session_options& o) {
    const auto whole_seconds = std::max<std::int64_t>(
        std::chrono::ceil<std::chrono::seconds>(o.connect_timeout).count(), 1);
    const std::vector<std::pair<std::string, std::string>> added{
        {"application_name", o.application_name},
        {"connect_timeout", std::to_string(whole_seconds)},
        {"keepalives_idle", "10"},
        {"keepalives_interval", "5"},
        {"keepalives_count", "3"},
        // A peer that is gone without a word shows within this time, in milliseconds.
        {"tcp_user_timeout", "20000"},
    };
    const bool uri = o.url.starts_with("postgresql://") || o.url.starts_with("postgres://");
    std::string text = o.url;
    bool first = uri && text.find('?') == std::string::npos;
    for (const auto& [name, value] : added) {
        text += uri ? (first ? "?" : "&") : " ";
        text += name + "=" + value;
        first = false;
    }
    return text;
}

bool means_lost(std::string_view sqlstate) {
    // Classes 08 (connection) and 57P (the server goes, or ended this backend).
    return sqlstate.starts_with("08") || sqlstate.starts_with("57P");
}

// The server's words about data may quote it.
bool may_quote_data(std::string_view sqlstate) {
    return sqlstate.starts_with("22") || sqlstate.starts_with("23") || sqlstate.starts_with("P0");
}

std::string first_line(std::string_view message) {
    return std::string{message.substr(0, message.find('\n'))};
}

// Sends cancellations from a thread of its own: sending one waits for the network.
class canceller {
public:
    canceller(std::stop_token stop, pqxx::connection& connection, watchdog& cuts,
              std::chrono::milliseconds patience)
        : cuts_{cuts},
          patience_{patience},
          thread_{[this, stop = std::move(stop), &connection](std::stop_token done) {
              watch(stop, done, connection);
          }} {}

private:
    void watch(const std::stop_token& stop, const std::stop_token& done,
               pqxx::connection& connection) {
        std::mutex guard;
        std::condition_variable_any changed;
        const auto wake = [&] {
            const std::lock_guard lock{guard};
            changed.notify_all();
        };
        const std::stop_callback on_stop{stop, wake};
        const std::stop_callback on_done{done, wake};
        std::unique_lock lock{guard};
        changed.wait(lock, [&] { return stop.stop_requested() || done.stop_requested(); });
        if (!done.stop_requested()) cuts_.limit(watchdog::clock::now() + patience_);
        // The statement may start after one cancellation arrived, so they are repeated.
        while (!done.stop_requested()) {
            try {
                connection.cancel_query();
            } catch (const std::exception&) {
            }
            constexpr std::chrono::milliseconds again{100};
            changed.wait_for(lock, again, [&] { return done.stop_requested(); });
        }
    }

    watchdog& cuts_;
    std::chrono::milliseconds patience_;
    std::jthread thread_;
};

}  // namespace

const text& result::at(std::size_t row, std::string_view column) const {
    const auto found = std::find(columns_.begin(), columns_.end(), column);
    if (found == columns_.end()) throw std::out_of_range{"no such column"};
    return at(row, static_cast<std::size_t>(found - columns_.begin()));
}

struct session::state {
    session_options options;
    std::unique_ptr<pqxx::connection> connection;
    std::stop_token stop;
    bool in_transaction = false;
    bool interruptible = false;
    // A canceller may still hold on to it.
    std::unique_ptr<pqxx::connection> dropped;
    watchdog cuts;

    explicit state(session_options o) : options{std::move(o)} {}

    pqxx::connection& connected();
    pqxx::connection& same();  // that the transaction began on
    void arm();
    void drop() noexcept;
    void lost();
    template <class Call>
    auto guarded(Call call);
};

pqxx::connection& session::state::connected() {
    if (connection && connection->is_open()) return *connection;
    drop();
    connection = std::make_unique<pqxx::connection>(with_options(options));
#if !defined(PQXX_VERSION_MAJOR) || PQXX_VERSION_MAJOR < 7
    // Version 6 would connect anew in the middle of a transaction and forget its beginning.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    connection->activate();
    connection->inhibit_reactivation(true);
#pragma GCC diagnostic pop
#endif
    return *connection;
}

// Without a server's limit there is none here either, until somebody is in a hurry.
void session::state::arm() {
    if (!connection || !connection->is_open()) return;
    std::optional<watchdog::clock::time_point> until;
    if (options.statement_timeout.count() > 0)
        until = watchdog::clock::now() + options.statement_timeout + options.patience;
    cuts.arm(connection->sock(), until);
}

void session::state::drop() noexcept {
    cuts.disarm();
    if (interruptible && !dropped) dropped = std::move(connection);
    connection.reset();
}

// The connection broke, or was cut because somebody wants the end.
void session::state::lost() {
    drop();
    if (stop.stop_requested()) throw interrupted{};
}

pqxx::connection& session::state::same() {
    if (!connection) throw connection_error{"the connection was lost before", {}};
    return *connection;
}

// Runs `call` and turns what libpqxx throws into what this module throws.
template <class Call>
auto session::state::guarded(Call call) {
    if (stop.stop_requested()) throw interrupted{};
    struct disarm {
        watchdog& cuts;
        ~disarm() { cuts.disarm(); }
    };
    const disarm at_end{cuts};
    arm();
    try {
        return call();
    } catch (const pqxx::broken_connection& e) {
        lost();
        throw connection_error{first_line(e.what()), {}};
    } catch (const pqxx::in_doubt_error& e) {
        lost();
        throw connection_error{first_line(e.what()), {}};
    } catch (const pqxx::sql_error& e) {
        constexpr std::string_view cancelled = "57014";
        if (e.sqlstate() == cancelled && stop.stop_requested()) throw interrupted{};
        if (means_lost(e.sqlstate()) || (connection && !connection->is_open())) {
            lost();
            throw connection_error{first_line(e.what()), e.sqlstate()};
        }
        throw error{
            may_quote_data(e.sqlstate()) ? "SQLSTATE " + e.sqlstate() : first_line(e.what()),
            e.sqlstate()};
    } catch (const pqxx::failure& e) {
        lost();
        throw connection_error{first_line(e.what()), {}};
    }
}

session::session(session_options options) : state_{std::make_unique<state>(std::move(options))} {
}

session::~session() = default;

result session::exec(std::string_view statement, const parameters& given) {
    if (!state_->in_transaction) {
        result got;
        transaction([&] { got = exec(statement, given); });
        return got;
    }
    return state_->guarded([&] {
        pqxx::nontransaction plain{state_->same()};
        return copy_of(run(plain, std::string{statement}, given));
    });
}

void session::exec_script(std::string_view statements) {
    if (!state_->in_transaction) {
        transaction([&] { exec_script(statements); });
        return;
    }
    state_->guarded([&] {
        pqxx::nontransaction plain{state_->same()};
        plain.exec(std::string{statements});
    });
}

void session::transaction(const std::function<void()>& work, std::string_view begin) {
    // SET LOCAL, as a pooler may hand the connection to others afterwards.
    const auto opening = std::string{begin} + "; SET LOCAL statement_timeout = " +
                         std::to_string(state_->options.statement_timeout.count());
    state_->guarded([&] {
        auto& connection = state_->connected();
        state_->arm();
        pqxx::nontransaction plain{connection};
        plain.exec(opening);
    });
    state_->in_transaction = true;
    try {
        work();
        state_->guarded([&] {
            pqxx::nontransaction plain{state_->same()};
            plain.exec("COMMIT");
        });
        state_->in_transaction = false;
    } catch (...) {
        state_->in_transaction = false;
        // Closing ends the transaction too, and does not wait for a server that is told to stop.
        if (state_->stop.stop_requested()) state_->drop();
        if (state_->connection) {
            try {
                state_->arm();
                pqxx::nontransaction plain{*state_->connection};
                plain.exec("ROLLBACK");
            } catch (const std::exception&) {
                state_->drop();
            }
            state_->cuts.disarm();
        }
        throw;
    }
}

void session::hurry() noexcept {
    state_->cuts.limit(watchdog::clock::now() + state_->options.patience);
}

void session::interruptible(std::stop_token stop, const std::function<void()>& work) {
    if (stop.stop_requested()) throw interrupted{};
    state_->guarded([&] { state_->connected(); });
    // Cancellations on their way hit whatever runs next, so the connection is not used again.
    struct restore {
        state& of;
        ~restore() {
            if (of.stop.stop_requested()) of.connection.reset();
            of.dropped.reset();
            of.interruptible = false;
            of.stop = {};
        }
    };
    state_->stop = stop;
    state_->interruptible = true;
    const restore at_end{*state_};
    const canceller cancels{stop, *state_->connection, state_->cuts, state_->options.patience};
    work();
}

}  // namespace exportd::sql
