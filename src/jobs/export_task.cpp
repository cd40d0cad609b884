#include <exportd/exports/digest_sink.hpp>
#include <exportd/exports/encoder_factory.hpp>
#include <exportd/exports/run_export.hpp>
#include <exportd/jobs/export_task.hpp>
#include <exportd/rows/errc.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "file_sink.hpp"
#include <algorithm>
#include <limits>

namespace exportd::jobs {
namespace asio = boost::asio;

namespace {

using kind = task_end::kind;

// One export, and the loop that it runs on.
class task {
public:
    task(const task_services& services, const job& j, const std::string& key,
         task_progress& progress, std::stop_token stop)
        : services_{services}, job_{j}, key_{key}, progress_{progress}, stop_{std::move(stop)} {}

    void run();

    rows::totals sent;
    std::string sha256;
    std::uint64_t fallbacks = 0;

private:
    asio::awaitable<void> transfer();
    asio::awaitable<void> watch_deadline();
    asio::awaitable<void> disconnect();
    asio::awaitable<void> count(rows::query q);
    rows::query query() const;
    void end_early() noexcept { early_.emit(asio::cancellation_type::terminal); }

    const task_services& services_;
    const job& job_;
    const std::string& key_;
    task_progress& progress_;
    std::stop_token stop_;
    asio::io_context loop_{1};
    asio::cancellation_signal early_;
    asio::steady_timer deadline_{loop_};
    std::unique_ptr<task_database> database_ = services_.connect(loop_);
    std::unique_ptr<file_writer> file_;
    std::exception_ptr failure_;
    bool late_ = false;
};

rows::query task::query() const {
    const auto* entry = services_.catalog.find(job_.asked.export_name);
    rows::query q;
    q.sql = entry->what.sql;
    q.parameters = {exports::to_parameter(job_.asked.range.from),
                    exports::to_parameter(job_.asked.range.to)};
    q.parameter_kind = rows::value_kind::timestamptz;
    q.tag = "exportd job " + job_.id;
    q.first_row_timeout = services_.first_row_timeout;
    q.total_timeout = services_.deadline;
    return q;
}

// How many rows there will be is only worth knowing when it can be had soon.
asio::awaitable<void> task::count(rows::query q) {
    constexpr std::chrono::milliseconds longest{10'000};
    q.first_row_timeout = std::min(q.first_row_timeout, longest);
    try {
        const auto found = co_await database_->rows().count(
            q, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
        progress_.expected_rows = static_cast<std::int64_t>(found.rows);
    } catch (const boost::system::system_error& e) {
        if (e.code() != errc::first_row_timeout && e.code() != errc::query_failed) throw;
    }
}

asio::awaitable<void> task::transfer() {
    const auto* entry = services_.catalog.find(job_.asked.export_name);
    co_await count(query());
    auto opened = co_await database_->rows().open(query());
    // Formatters belong to one thread, and so to this task.
    const exports::encoder_factory encoders{services_.catalog};
    const auto encoder =
        encoders.make(entry->what, job_.asked.values, job_.asked.excel, opened.source->columns());
    file_ = services_.files.create(key_, std::nullopt, stop_);
    file_sink sink{*file_};
    exports::digest_sink digested{sink};
    const auto budget = [this] {
        progress_.rows = sent.rows;
        progress_.bytes = sent.bytes;
        constexpr std::chrono::milliseconds turn{50};
        return exports::turn_budget{services_.chunk_bytes, turn};
    };
    co_await exports::run_export(*opened.source, *encoder, digested, database_->turns(), budget,
                                 sent);
    progress_.rows = sent.rows;
    progress_.bytes = sent.bytes;
    sha256 = exports::to_hex(*digested.sha256());
    fallbacks = encoder->fallbacks();
}

asio::awaitable<void> task::watch_deadline() {
    deadline_.expires_after(services_.deadline);
    const auto [ec] = co_await deadline_.async_wait(asio::as_tuple(asio::use_awaitable));
    if (ec) co_return;
    late_ = true;
    end_early();
}

asio::awaitable<void> task::disconnect() {
    co_await database_->shutdown();
    loop_.stop();
}

void task::run() {
    const auto ended = [this](std::exception_ptr e) {
        failure_ = std::move(e);
        deadline_.cancel();
        asio::co_spawn(loop_, disconnect(), asio::detached);
    };
    asio::co_spawn(loop_, transfer(), asio::bind_cancellation_slot(early_.slot(), ended));
    if (services_.deadline.count() > 0) asio::co_spawn(loop_, watch_deadline(), asio::detached);
    {
        const std::stop_callback on_stop{stop_,
                                         [this] { asio::post(loop_, [this] { end_early(); }); }};
        loop_.run();
    }
    if (late_) throw boost::system::system_error{make_error_code(errc::export_deadline)};
    if (failure_) std::rethrow_exception(failure_);
    file_->publish();
}

std::string code_of(errc e) {
    switch (e) {
        case errc::query_failed:
            return "query_failed";
        case errc::first_row_timeout:
            return "first_row_timeout";
        case errc::progress_timeout:
            return "progress_timeout";
        case errc::unsupported_type:
            return "unsupported_type";
        case errc::export_deadline:
            return "export_deadline";
        default:
            return "database_unavailable";
    }
}

// Another try helps against what comes and goes, not against the query or the clock.
kind kind_of(errc e) {
    return e == errc::query_failed || e == errc::unsupported_type || e == errc::export_deadline
               ? kind::failed
               : kind::temporary;
}

task_end ended(kind what, std::string code, std::string cause) {
    task_end end;
    end.what = what;
    end.code = std::move(code);
    end.cause = std::move(cause);
    return end;
}

task_end end_of(std::exception_ptr failure, const std::stop_token& stop) {
    if (stop.stop_requested()) return ended(kind::stopped, "stopped", {});
    try {
        std::rethrow_exception(failure);
    } catch (const store_full& e) {
        return ended(kind::failed, "store_full", e.what());
    } catch (const store_error& e) {
        return ended(kind::temporary, "store_unavailable", e.what());
    } catch (const boost::system::system_error& e) {
        if (e.code().category() == export_category()) {
            const auto found = static_cast<errc>(e.code().value());
            return ended(kind_of(found), code_of(found), e.what());
        }
        return ended(kind::temporary, "database_unavailable", e.what());
    } catch (const std::exception& e) {
        return ended(kind::failed, "internal_error", e.what());
    }
}

}  // namespace

task_end run_export_task(const task_services& services, const job& j, const std::string& key,
                         task_progress& progress, std::stop_token stop) noexcept {
    try {
        if (services.catalog.find(j.asked.export_name) == nullptr)
            return ended(kind::failed, "unknown_export", {});
        task work{services, j, key, progress, stop};
        work.run();
        task_end end;
        end.what = kind::done;
        end.rows = work.sent.rows;
        end.bytes = work.sent.bytes;
        end.sha256 = work.sha256;
        end.fallbacks = work.fallbacks;
        return end;
    } catch (...) {
        return end_of(std::current_exception(), stop);
    }
}

}  // namespace exportd::jobs
