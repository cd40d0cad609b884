#include <exportd/pg/connection.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <libpq-fe.h>
#include <string_view>
#include <system_error>
#include <utility>

namespace exportd::pg {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

std::string field(const PGresult* r, int code) {
    const char* text = PQresultErrorField(r, code);
    return text ? text : "";
}

// Errors that say the server or the session is ending, not that the query is wrong.
bool ends_session(const PGresult* r, std::string_view sqlstate) {
    const auto severity = field(r, PG_DIAG_SEVERITY_NONLOCALIZED);
    return severity == "FATAL" || severity == "PANIC" || sqlstate.substr(0, 2) == "08" ||
           sqlstate == "57P01" || sqlstate == "57P02" || sqlstate == "57P03";
}

bool is_error(ExecStatusType status) {
    return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE;
}

// A descriptor of its own for the loop: libpq closes its one as soon as it sees that the connection
// is gone, and the number may be somebody else's before the loop has let go of it.
int duplicate(int socket) {
    const int own = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (own < 0) {
        throw server_error{errc::database_unavailable, {}, std::generic_category().message(errno)};
    }
    return own;
}

}  // namespace

void cancel_deleter::operator()(pg_cancel* c) const noexcept {
    PQfreeCancel(c);
}

connection::connection(asio::any_io_executor executor, pg_conn* established, observer& events)
    : conn_(established),
      socket_(executor, duplicate(PQsocket(established))),
      watch_(executor, [this] { socket_.cancel(); }),
      idle_generation_(std::make_shared<std::size_t>(0)),
      pid_(PQbackendPID(established)),
      server_version_(PQserverVersion(established)) {
    PQsetNoticeReceiver(
        conn_,
        [](void* observer_of_pool, const PGresult* r) {
            static_cast<observer*>(observer_of_pool)
                ->notice(field(r, PG_DIAG_SEVERITY_NONLOCALIZED),
                         field(r, PG_DIAG_MESSAGE_PRIMARY));
        },
        &events);
}

connection::~connection() {
    ++*idle_generation_;
    PQfinish(conn_);
}

void connection::expect(int sent, std::size_t results) {
    if (sent != 1) fail_lost();
    outstanding_ += results;
}

void connection::send(const std::string& sql, const parameters& values,
                      const parameter_types& types) {
    std::vector<const char*> texts;
    texts.reserve(values.size());
    for (const auto& value : values) {
        if (value && value->find('\0') != std::string::npos) {
            throw server_error{errc::query_failed, {}, "a parameter has a zero byte"};
        }
        texts.push_back(value ? value->c_str() : nullptr);
    }
    constexpr int binary = 1;
    expect(PQsendQueryParams(conn_, sql.c_str(), static_cast<int>(texts.size()),
                             types.empty() ? nullptr : types.data(), texts.data(), nullptr, nullptr,
                             binary),
           1);
}

void connection::send_describe(const std::string& sql, const parameter_types& types) {
    expect(PQsendPrepare(conn_, "", sql.c_str(), static_cast<int>(types.size()), types.data()), 1);
    expect(PQsendDescribePrepared(conn_, ""), 1);
}

void connection::sync() {
    expect(PQpipelineSync(conn_), 1);
}

asio::awaitable<void> connection::flush(patience p) {
    for (;;) {
        const int left = PQflush(conn_);
        if (left == 0) co_return;
        if (left < 0) fail_lost();
        // The server may be blocked on its own output, so both directions have to move.
        co_await wait_both(p.next_wait(patience::clock::now()));
        if (!consume()) fail_lost();
    }
}

asio::awaitable<result> connection::next_result(patience p, rows::turns* turns) {
    bool sync_mark = false;
    // What has arrived already is taken apart by the first look at it.
    if (turns != nullptr) co_await turns->next();
    for (;;) {
        while (!lost_ && PQisBusy(conn_)) {
            co_await wait_readable(p.next_wait(patience::clock::now()));
            if (turns != nullptr) co_await turns->next();
            consume();
        }
        // A lost connection may still hold the server's last words.
        if (lost_ && PQisBusy(conn_)) fail_lost();
        if (auto r = take(sync_mark)) co_return r;
    }
}

asio::awaitable<void> connection::drain(patience p) {
    while (outstanding_ > 0) {
        while (!lost_ && PQisBusy(conn_)) {
            co_await wait_readable(p.next_wait(patience::clock::now()));
            consume();
        }
        if (lost_) fail_lost();
        const result dropped{PQgetResult(conn_)};
        if (dropped) --outstanding_;
        if (!is_open()) fail_lost();
    }
}

result connection::take(bool& sync_mark) {
    result r{PQgetResult(conn_)};
    if (!r) {
        if (outstanding_ == 0 || lost_) fail_lost();
        return nullptr;  // the end of one command's results
    }
    if (outstanding_ > 0) --outstanding_;
    const auto status = PQresultStatus(r.get());
    sync_mark = status == PGRES_PIPELINE_SYNC;
    if (sync_mark) return nullptr;
    if (status == PGRES_PIPELINE_ABORTED) {
        throw server_error{errc::query_failed, {}, "an earlier command of the group failed"};
    }
    if (!is_error(status)) {
        // Once libpq knows that the connection is gone it has forgotten what was asked, and makes
        // an empty success out of the columns of a result whose rows never came.
        if (PQstatus(conn_) == CONNECTION_BAD) fail_lost();
        answered_ = true;
        return r;
    }
    const auto sqlstate = field(r.get(), PG_DIAG_SQLSTATE);
    if (sqlstate.empty() || ends_session(r.get(), sqlstate)) lost_ = true;
    auto message = field(r.get(), PG_DIAG_MESSAGE_PRIMARY);
    if (message.empty()) message = PQresultErrorMessage(r.get());
    throw server_error{lost_ ? errc::database_unavailable : errc::query_failed, sqlstate,
                       std::move(message)};
}

bool connection::consume() noexcept {
    // One call of libpq reads what fits its buffer. Taking what has arrived before it is parsed
    // makes that buffer grow to the size of the bursts, and spares wakes.
    constexpr int most_at_once = 256 * 1024;  // bounds the turn of the loop
    int more = 0;
    int taken = 0;
    do {
        if (PQconsumeInput(conn_) != 1) {
            lost_ = true;
            return false;
        }
        more = 0;
        ioctl(PQsocket(conn_), FIONREAD, &more);
        taken += std::min(more, most_at_once);
    } while (more > 0 && taken < most_at_once);
    while (PGnotify* unwanted = PQnotifies(conn_))
        PQfreemem(unwanted);
    return true;
}

void connection::fail_lost() {
    lost_ = true;
    auto reason = last_error();
    throw server_error{errc::database_unavailable, {}, std::move(reason)};
}

asio::awaitable<void> connection::wait_readable(patience::limit limit) {
    if (PQsocket(conn_) < 0) fail_lost();
    error_code ec;
    watch_.begin(limit.at);
    co_await socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                                asio::redirect_error(asio::use_awaitable, ec));
    const bool expired = watch_.end();
    if (!ec) co_return;
    if (expired) throw boost::system::system_error{make_error_code(limit.error)};
    throw boost::system::system_error{ec};
}

asio::awaitable<void> connection::wait_both(patience::limit limit) {
    using namespace asio::experimental::awaitable_operators;
    if (PQsocket(conn_) < 0) fail_lost();
    error_code readable;
    error_code writable;
    watch_.begin(limit.at);
    co_await (socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                                 asio::redirect_error(asio::use_awaitable, readable)) ||
              socket_.async_wait(asio::posix::stream_descriptor::wait_write,
                                 asio::redirect_error(asio::use_awaitable, writable)));
    if (watch_.end()) throw boost::system::system_error{make_error_code(limit.error)};
}

bool connection::ready() const noexcept {
    return lost_ || !PQisBusy(conn_);
}

bool connection::is_open() const noexcept {
    return !lost_ && PQstatus(conn_) == CONNECTION_OK;
}

bool connection::in_transaction() const noexcept {
    return PQtransactionStatus(conn_) != PQTRANS_IDLE;
}

void connection::watch(std::function<void()> on_lost) {
    watch_on(++*idle_generation_, std::make_shared<std::function<void()>>(std::move(on_lost)));
}

void connection::watch_on(std::size_t generation, std::shared_ptr<std::function<void()>> on_lost) {
    // The generation outlives this object and says whether it is still there and still idle.
    socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [this, generation, current = idle_generation_, on_lost](error_code ec) {
                           if (*current != generation) return;
                           // Parsing is what handles notices and changed parameters.
                           if (!ec && consume() && (PQisBusy(conn_), is_open())) {
                               return watch_on(generation, on_lost);
                           }
                           ++*current;
                           (*on_lost)();
                       });
}

void connection::unwatch() noexcept {
    ++*idle_generation_;
    error_code ignored;
    socket_.cancel(ignored);
}

cancel_handle connection::make_cancel() const {
    return cancel_handle{PQgetCancel(conn_)};
}

std::string connection::last_error() const {
    std::string text = PQerrorMessage(conn_);
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text.empty() ? "the connection to the server was lost" : text;
}

}  // namespace exportd::pg
