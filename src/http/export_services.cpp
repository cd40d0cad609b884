#include <exportd/http/export_services.hpp>
#include <exportd/http/json.hpp>
#include <exportd/http/permission.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace exportd::http {
namespace asio = boost::asio;
using exports::admission;

namespace {

problem make_overloaded(std::string_view detail) {
    problem p = problem_of(errc::pool_exhausted);
    p.detail = detail;
    return p;
}

entrance refused(admission::refusal why) {
    switch (why) {
        case admission::refusal::too_many_for_client: {
            problem p = problem_of(errc::pool_exhausted);
            p.status = 429;
            p.code = "too_many_exports";
            p.detail =
                "As many exports as one caller may have are already running; wait for one to end.";
            return {{}, std::move(p), "too_many_exports"};
        }
        case admission::refusal::queue_full:
            return {
                {},
                make_overloaded("As many exports run and wait as there may be; try again soon."),
                "queue_full"};
        case admission::refusal::queue_timeout:
            return {
                {},
                make_overloaded("No running export ended while this one waited; try again soon."),
                "queue_timeout"};
        case admission::refusal::closing:
            break;
    }
    return {{}, problem_of(errc::shutting_down), "shutting_down"};
}

// Functions, as GCC 12 may destroy the parts of an aggregate that a coroutine makes twice.
entrance refused(problem why, std::string_view reason) {
    return {{}, std::move(why), reason};
}

entrance admitted(admission::ticket ticket) {
    return {std::move(ticket), {}, {}};
}

asio::awaitable<void> wait(admission::queued& place, entrance& result) {
    auto end = co_await place.wait();
    if (auto* ticket = std::get_if<admission::ticket>(&end)) {
        result.ticket.emplace(std::move(*ticket));
    } else {
        result = refused(std::get<admission::refusal>(end));
    }
}

}  // namespace

std::uint64_t row_limit_of(const exports::definition& d, const export_limits& limits) {
    return d.stream_row_limit.value_or(limits.stream_row_limit);
}

rows::query make_query(const exports::definition& d, const exports::date_range& range,
                       std::string tag, const export_limits& limits) {
    rows::query q;
    q.sql = d.sql;
    q.parameters = {exports::to_parameter(range.from), exports::to_parameter(range.to)};
    q.parameter_kind = rows::value_kind::timestamptz;
    q.tag = std::move(tag);
    q.first_row_timeout = limits.first_row_timeout;
    q.total_timeout = limits.transfer.deadline;
    return q;
}

std::optional<problem> refusal_of(const lifecycle& life, const exports::load_shedder& shedder) {
    if (life.draining()) return problem_of(errc::shutting_down);
    if (shedder.shedding()) return make_overloaded("The service is overloaded; try again soon.");
    return std::nullopt;
}

std::optional<problem> row_quota_of(const access::quota& quota, const request& r) {
    const auto left = quota.rows(r.caller(), std::chrono::system_clock::now());
    if (!left || left->remaining > 0) return std::nullopt;
    problem p = problem_of(errc::pool_exhausted);
    p.status = 429;
    p.code = "row_quota";
    p.detail = "As many rows as you may have in a day were exported already; come tomorrow.";
    p.retry_after = left->reset;
    return p;
}

std::string job_offer(const exports::definition& d, const exports::request& asked) {
    json_object body;
    body.text("from", exports::to_rfc3339(asked.range.from))
        .text("to", exports::to_rfc3339(asked.range.to))
        .text("values", asked.values == exports::values::raw ? "raw" : "formatted")
        .boolean("excel", asked.excel);
    json_object offer;
    offer.text("method", "POST")
        .text("href", "/exports/" + d.name + "/jobs")
        .text("content_type", "application/json")
        .raw("body", std::move(body).done());
    return std::move(offer).done();
}

asio::awaitable<entrance> enter(const export_services& services, exchange& x) {
    auto closed = refusal_of(services.life, services.shedder);
    if (closed) {
        const std::string_view reason = services.life.draining() ? "shutting_down" : "overloaded";
        co_return refused(std::move(*closed), reason);
    }
    auto spent = row_quota_of(services.quota, x.request());
    if (spent) co_return refused(std::move(*spent), "row_quota");
    auto decision = services.admission.enter(x.request().caller());
    if (auto* ticket = std::get_if<admission::ticket>(&decision)) {
        co_return admitted(std::move(*ticket));
    }
    if (const auto* why = std::get_if<admission::refusal>(&decision)) co_return refused(*why);

    const auto began = std::chrono::steady_clock::now();
    entrance result;
    auto work = wait(*std::get<std::unique_ptr<admission::queued>>(decision), result);
    try {
        co_await x.guard(std::move(work), {});
    } catch (const boost::system::system_error& e) {
        if (e.code() == errc::shutting_down) {
            result = refused(admission::refusal::closing);
        } else if (e.code() == errc::client_gone) {
            result.reason = "client_gone";
        } else {
            throw;
        }
    }
    result.waited = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began);
    co_return result;
}

asked_export find_asked(const export_services& services, std::string_view name, const request& r) {
    asked_export asked;
    asked.entry = services.catalog.find(name);
    if (asked.entry == nullptr) {
        asked.refused = not_found();
        return asked;
    }
    const auto may = permission_of(services.policies, r, *asked.entry);
    if (!may) {
        asked.refused = not_permitted();
        return asked;
    }
    auto parsed = exports::parse_request(asked.entry->what, *asked.entry->zone, r.query);
    if (parsed) {
        asked.what = std::move(*parsed);
        asked.refused = excess_of(*may, *asked.entry, asked.what);
    } else {
        asked.refused = bad_request(parsed.error().code, parsed.error().detail);
        asked.refused->parameter = parsed.error().parameter;
    }
    return asked;
}

}  // namespace exportd::http
