#include <exportd/http/export_services.hpp>
#include <exportd/http/problem.hpp>
#include <exportd/http/report_endpoint.hpp>
#include <exportd/http/report_request.hpp>

#include <boost/system/system_error.hpp>
#include <fmt/format.h>

#include "attempt.hpp"
#include <optional>
#include <string>
#include <utility>

namespace exportd::http {
namespace asio = boost::asio;

namespace {

// How a report came out: a document, or a problem and its cause for the log.
struct outcome {
    reports::made_report made;
    std::optional<problem> failure;
    std::string cause;
    bool gone = false;  // nobody is there to be told
};

problem timed_out() {
    auto p = problem_of(errc::export_deadline);
    p.code = "report_timeout";
    p.detail = "The report took longer than it may; a shorter range takes less.";
    return p;
}

problem failed_query() {
    auto p = problem_of(errc::query_failed);
    p.detail = "The database refused or could not finish the queries of this report.";
    return p;
}

problem full() {
    auto p = problem_of(errc::pool_exhausted);
    p.detail = "As many reports are being made as there may be; try again soon.";
    return p;
}

std::optional<problem> problem_of(reports::made_report::end how) {
    using end = reports::made_report::end;
    switch (how) {
        case end::complete:
            break;
        case end::unavailable:
            return http::problem_of(errc::database_unavailable);
        case end::too_slow:
            return timed_out();
        case end::failed:
            return failed_query();
        case end::stopped:
            return http::problem_of(errc::shutting_down);
    }
    return std::nullopt;
}

asio::awaitable<void> run_on(const report_services& services, std::string caller,
                             reports::report_request wanted, reports::report_form form,
                             outcome& into) {
    auto job = [database = services.database, wanted = std::move(wanted),
                form](const std::stop_token& stop) {
        return reports::make_report_document(database, wanted, form, stop);
    };
    try {
        into.made =
            co_await services.workers.run(work::lane::brief, std::move(caller), std::move(job));
        into.failure = problem_of(into.made.how);
        into.cause = into.made.cause;
    } catch (const work::pool_full& e) {
        into.failure = full();
        into.cause = e.what();
    }
}

// What ended it from outside.
outcome cut_by(errc e) {
    outcome o;
    o.cause = make_error_code(e).message();
    if (e == errc::client_gone || e == errc::stalled) {
        o.gone = true;
    } else if (e == errc::export_deadline) {
        o.failure = timed_out();
    } else {
        o.failure = http::problem_of(e);
    }
    return o;
}

response to_answer(reports::made_report made, const asked_report& asked) {
    response r;
    r.content_type = asked.form == reports::report_form::pdf ? pdf_type : json_type;
    r.body = std::move(made.body);
    r.fields.push_back({"Vary", "Accept"});
    if (asked.form == reports::report_form::pdf) {
        r.fields.push_back(
            {"Content-Disposition", fmt::format("attachment; filename=\"{}\"", asked.file_name)});
    }
    return r;
}

void tell_refused(const report_services& services, const request& r, const problem& why) {
    services.observer.observe(observe::event{observe::level::info, "report_refused"}
                                  .with("request_id", r.request_id)
                                  .with("code", why.code));
}

void tell_started(const report_services& services, const request& r, const asked_report& asked) {
    services.observer.observe(
        observe::event{observe::level::info, "report_started"}
            .with("export", asked.what.export_name)
            .with("request_id", r.request_id)
            .with("client", r.client)
            .with("from", reports::iso_date(asked.what.range.from))
            .with("to", reports::iso_date(asked.what.range.to))
            .with("form", asked.form == reports::report_form::pdf ? "pdf" : "json"));
}

void tell_finished(const report_services& services, const request& r, const asked_report& asked,
                   const outcome& end, std::chrono::steady_clock::duration took) {
    const bool complete = !end.failure && !end.gone;
    observe::event e{complete ? observe::level::info : observe::level::warning, "report_finished"};
    e.with("export", asked.what.export_name).with("request_id", r.request_id);
    e.with("outcome", complete ? "complete" : end.gone ? "aborted" : "failed");
    if (end.failure) e.with("code", end.failure->code);
    if (!end.cause.empty()) e.with("cause", end.cause);
    e.with("duration_ms", static_cast<double>(
                              std::chrono::duration_cast<std::chrono::microseconds>(took).count()) /
                              1000.0);
    if (complete) e.with("orders", end.made.orders).with("bytes", end.made.body.size());
    services.observer.observe(e);
}

}  // namespace

asio::awaitable<void> report_endpoint::serve(exchange& x) {
    const auto& r = x.request();
    const auto asked = parse_report_request(services_.catalog, services_.policies, r);
    attempt tried{services_.audit, r, "report"};
    tried.about(asked.what.export_name);
    tried.options(asked.form == reports::report_form::pdf ? "pdf" : "json");
    if (asked.range) tried.range(*asked.range);
    auto refused = asked.refused;
    if (!refused) refused = refusal_of(services_.life, services_.shedder);
    if (!refused) refused = row_quota_of(services_.quota, r);
    if (refused) {
        tried.refuse(refused->code);
    } else {
        refused = co_await tried.begin();
    }
    if (refused) {
        tell_refused(services_, r, *refused);
        auto answer = to_response(*refused, r.request_id);
        co_await x.reply(std::move(answer));
        co_return;
    }
    tell_started(services_, r, asked);
    const auto began = std::chrono::steady_clock::now();
    outcome end;
    transfer_limits limits;
    limits.deadline = services_.timeout;
    auto running = run_on(services_, r.caller(), asked.what, asked.form, end);
    try {
        co_await x.guard(std::move(running), limits);
    } catch (const boost::system::system_error& e) {
        if (e.code().category() != export_category()) throw;
        end = cut_by(static_cast<errc>(e.code().value()));
    }
    tell_finished(services_, r, asked, end, std::chrono::steady_clock::now() - began);
    tried.end(end.gone      ? "aborted"
              : end.failure ? "failed"
                            : "complete",
              end.gone      ? "client_gone"
              : end.failure ? end.failure->code
                            : "",
              end.made.orders, end.made.body.size());
    if (end.gone) co_return;
    auto answer = end.failure ? to_response(*end.failure, r.request_id)
                              : to_answer(std::move(end.made), asked);
    co_await x.reply(std::move(answer));
}

}  // namespace exportd::http
