#include "export_run.hpp"

#include <exportd/exports/digest_sink.hpp>
#include <exportd/exports/run_export.hpp>

#include <boost/system/system_error.hpp>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace exportd::http {
namespace asio = boost::asio;
using exports::receipt_state;

namespace {

exports::loop_delay_summary summary_of(const observe::delay_histogram& delays) {
    const auto ms = [](std::chrono::microseconds t) {
        return static_cast<double>(t.count()) / 1000.0;
    };
    return {ms(delays.percentile(50)), ms(delays.percentile(99)), ms(delays.max())};
}

// What two requests have to share to be the same one.
std::string key_of(const std::string& name, const exports::request& r) {
    return fmt::format("{} {} {} {} {}", name, exports::to_rfc3339(r.range.from),
                       exports::to_rfc3339(r.range.to), r.values == exports::values::raw, r.excel);
}

receipt_state state_of(errc e) {
    return e == errc::client_gone || e == errc::stalled ? receipt_state::aborted
                                                        : receipt_state::failed;
}

std::string code_of(errc e) {
    switch (e) {
        case errc::client_gone:
            return "client_gone";
        case errc::stalled:
            return "stalled";
        case errc::progress_timeout:
            return "progress_timeout";
        case errc::unsupported_type:
            return "unsupported_type";
        default:
            return problem_of(e).code;
    }
}

// How often it is told how far a long export has come.
constexpr std::chrono::seconds between_progress{1};

double ms_between(std::chrono::steady_clock::time_point from,
                  std::chrono::steady_clock::time_point to) {
    return static_cast<double>(
               std::chrono::duration_cast<std::chrono::microseconds>(to - from).count()) /
           1000.0;
}

// Notes when the first byte is handed on.
class first_byte_sink final : public rows::byte_sink {
public:
    first_byte_sink(rows::byte_sink& to,
                    std::optional<std::chrono::steady_clock::time_point>& noted)
        : to_{to}, noted_{noted} {}

    asio::awaitable<void> write(rows::byte_buffer& chunk) override {
        if (!noted_) noted_ = std::chrono::steady_clock::now();
        return to_.write(chunk);
    }
    asio::awaitable<void> finish(rows::totals sent) override { return to_.finish(sent); }
    void abort() noexcept override { to_.abort(); }

private:
    rows::byte_sink& to_;
    std::optional<std::chrono::steady_clock::time_point>& noted_;
};

}  // namespace

export_run::export_run(export_services& services, exchange& x, const exports::catalog_entry& entry,
                       exports::request asked)
    : services_{services},
      exchange_{x},
      entry_{entry},
      asked_{std::move(asked)},
      id_{to_string(boost::uuids::random_generator_pure{}())},
      delay_at_start_{services.loop_delay()},
      started_{std::chrono::steady_clock::now()},
      next_progress_{started_ + between_progress},
      attempt_{services.audit, x.request(), "export"} {
    attempt_.about(entry.what.name, id_);
    attempt_.about(asked_);
}

bool export_run::wants_digest() const {
    // RFC 9530 section 4: a list of algorithms with weights; 0 means not acceptable.
    std::string_view wanted = exchange_.request().want_repr_digest;
    constexpr std::string_view name = "sha-256=";
    const auto at = wanted.find(name);
    if (at == std::string_view::npos || at + name.size() >= wanted.size()) return false;
    const char weight = wanted[at + name.size()];
    return weight >= '1' && weight <= '9';
}

stream_head export_run::head() const {
    stream_head h;
    h.content_type = "text/csv; charset=utf-8; header=present";
    h.fields = {
        {"Content-Disposition",
         fmt::format("attachment; filename=\"{}\"",
                     exports::file_name(entry_.what, *entry_.zone, asked_.range))},
        {"Accept-Ranges", "none"},
        {"X-Accel-Buffering", "no"},
        {"Export-Id", id_},
        {"Export-Range",
         exports::to_rfc3339(asked_.range.from) + "/" + exports::to_rfc3339(asked_.range.to)},
    };
    h.trailers = {"Export-Rows", "Export-Bytes"};
    if (wants_digest()) h.trailers.emplace_back("Repr-Digest");
    return h;
}

std::vector<header_field> export_run::trailers(const rows::totals& sent) const {
    std::vector<header_field> fields{{"Export-Rows", std::to_string(sent.rows)},
                                     {"Export-Bytes", std::to_string(sent.bytes)}};
    if (sent.sha256)
        fields.push_back({"Repr-Digest", "sha-256=:" + exports::to_base64(*sent.sha256) + ":"});
    return fields;
}

// The more exports share the loop, the shorter their turns, so that each has one often.
exports::turn_budget export_run::budget() const {
    const auto running = std::max<std::size_t>(services_.admission.running(), 1);
    const auto share = 4 * services_.limits.turn_budget / static_cast<long>(running);
    const auto time =
        std::clamp(share, services_.limits.turn_budget / 4, services_.limits.turn_budget);
    return {services_.limits.chunk_bytes, time};
}

bool export_run::open_receipt() {
    exports::receipt r;
    r.export_id = id_;
    r.export_name = entry_.what.name;
    r.owner = exchange_.request().identity;
    r.range = asked_.range;
    r.request_key = key_of(entry_.what.name, asked_);
    r.started_at = std::chrono::system_clock::now();
    receipt_ = services_.receipts.open(std::move(r), asked_.receipt_id);
    return receipt_ != nullptr;
}

asio::awaitable<void> export_run::transfer() {
    auto query = make_query(entry_.what, asked_.range, "exportd " + id_, services_.limits);
    query.row_limit = row_limit_of(entry_.what, services_.limits);
    query.count_timeout = services_.limits.count_timeout;
    auto opened = co_await services_.rows.open(std::move(query));
    receipt_->expected_rows = opened.expected_rows;
    encoder_ =
        services_.encoders.make(entry_.what, asked_.values, asked_.excel, opened.source->columns());

    const auto stream =
        exchange_.stream(head(), [this](const rows::totals& sent) { return trailers(sent); });
    first_byte_sink sink{*stream, first_byte_};
    const auto spend = [this] {
        exchange_.claim_turn();
        tell_progress();
        return budget();
    };
    if (wants_digest()) {
        exports::digest_sink digested{sink};
        co_await exports::run_export(*opened.source, *encoder_, digested, services_.turns, spend,
                                     receipt_->sent);
        receipt_->sha256 = exports::to_hex(*digested.sha256());
    } else {
        co_await exports::run_export(*opened.source, *encoder_, sink, services_.turns, spend,
                                     receipt_->sent);
    }
}

asio::awaitable<std::optional<problem>> export_run::run(std::chrono::milliseconds waited) {
    // Not under guard(): who leaves meanwhile has an end in the audit too.
    auto answer = co_await attempt_.begin();
    if (answer) {
        end_receipt(receipt_state::failed, answer->code);
        services_.observer.observe(observe::event{observe::level::warning, "export_refused"}
                                       .with("export", entry_.what.name)
                                       .with("request_id", exchange_.request().request_id)
                                       .with("code", answer->code));
        co_return answer;
    }
    tell_start(waited);
    try {
        co_await exchange_.guard(transfer(), services_.limits.transfer);
        tell_end(receipt_state::complete, {}, {});
    } catch (const rows::too_many_rows& found) {
        tell_end(receipt_state::failed, "too_many_rows", {});
        answer = too_many(found);
    } catch (const boost::system::system_error& e) {
        if (e.code().category() == export_category()) {
            answer = failed(static_cast<errc>(e.code().value()), e.what());
        } else {
            // The client's socket: whatever the kernel calls it, nobody is there.
            answer = failed(errc::client_gone, e.what());
        }
    } catch (const std::exception& e) {
        tell_end(receipt_state::failed, "internal_error", e.what());
        answer = internal_error();
    }
    co_return exchange_.answered() ? std::nullopt : answer;
}

std::optional<problem> export_run::failed(errc e, const std::string& cause) {
    tell_end(state_of(e), code_of(e), cause);
    if (state_of(e) == receipt_state::aborted) return std::nullopt;
    return problem_of(e);
}

problem export_run::too_many(const rows::too_many_rows& found) const {
    problem p = problem_of(errc::too_many_rows);
    std::string way_out = "a shorter range";
    if (services_.limits.jobs) {
        way_out +=
            fmt::format(", or for a background export: POST job.body to /exports/{}/jobs, as JSON",
                        entry_.what.name);
    }
    p.detail =
        fmt::format("The range holds {}{} rows and a streamed export at most {}: ask for {}.",
                    found.count.exact ? "" : "more than ", found.count.rows, found.limit, way_out);
    p.extra = {{"rows", std::to_string(found.count.rows)},
               {"rows_exact", found.count.exact ? "true" : "false"},
               {"limit", std::to_string(found.limit)}};
    if (services_.limits.jobs) p.extra.emplace_back("job", job_offer(entry_.what, asked_));
    return p;
}

void export_run::tell_start(std::chrono::milliseconds waited) const {
    observe::event e{observe::level::info, "export_started"};
    e.with("export", entry_.what.name)
        .with("export_id", id_)
        .with("request_id", exchange_.request().request_id)
        .with("from", exports::to_rfc3339(asked_.range.from))
        .with("to", exports::to_rfc3339(asked_.range.to))
        .with("values", asked_.values == exports::values::raw ? "raw" : "formatted")
        .with("excel", asked_.excel);
    if (waited.count() > 0) e.with("queue_wait_ms", waited.count());
    services_.observer.observe(e);
}

void export_run::tell_progress() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_progress_) return;
    next_progress_ = now + between_progress;
    services_.observer.observe(observe::event{observe::level::debug, "export_progress"}
                                   .with("export", entry_.what.name)
                                   .with("export_id", id_)
                                   .with("rows", receipt_->sent.rows)
                                   .with("bytes", receipt_->sent.bytes));
}

void export_run::end_receipt(receipt_state state, std::string_view code) {
    receipt_->state = state;
    receipt_->finished_at = std::chrono::system_clock::now();
    receipt_->loop_delay = summary_of(services_.loop_delay().since(delay_at_start_));
    if (!code.empty()) receipt_->code = std::string{code};
}

void export_run::tell_end(receipt_state state, std::string_view code, const std::string& cause) {
    end_receipt(state, code);
    attempt_.end(exports::name_of(state), code, receipt_->sent.rows, receipt_->sent.bytes);
    services_.quota.count_rows(exchange_.request().caller(), receipt_->sent.rows,
                               std::chrono::system_clock::now());
    const auto severity =
        state == receipt_state::failed ? observe::level::warning : observe::level::info;
    observe::event e{severity, "export_finished"};
    e.with("export", entry_.what.name)
        .with("export_id", id_)
        .with("request_id", exchange_.request().request_id)
        .with("outcome", exports::name_of(state))
        .with("rows", receipt_->sent.rows)
        .with("bytes", receipt_->sent.bytes)
        .with("duration_ms", ms_between(started_, std::chrono::steady_clock::now()))
        .with("loop_delay_p99_ms", receipt_->loop_delay->p99)
        .with("loop_delay_max_ms", receipt_->loop_delay->max);
    if (first_byte_) e.with("first_byte_ms", ms_between(started_, *first_byte_));
    if (encoder_ && encoder_->fallbacks() != 0) e.with("fallbacks", encoder_->fallbacks());
    if (!code.empty()) e.with("code", code);
    if (!cause.empty()) e.with("cause", cause);
    services_.observer.observe(e);
}

}  // namespace exportd::http
