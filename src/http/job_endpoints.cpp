#include <exportd/exports/request.hpp>
#include <exportd/http/export_services.hpp>
#include <exportd/http/job_endpoints.hpp>
#include <exportd/http/json.hpp>
#include <exportd/http/permission.hpp>
#include <exportd/http/problem.hpp>
#include <exportd/jobs/mailer.hpp>

#include "attempt.hpp"
#include "desk_call.hpp"
#include "job_body.hpp"
#include "job_json.hpp"
#include <charconv>
#include <variant>

namespace exportd::http {
namespace asio = boost::asio;

namespace {

constexpr std::size_t usual_list = 20;
constexpr std::size_t longest_list = 100;

exports::instant now() {
    return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

problem fault(unsigned status, std::string_view code, std::string_view parameter,
              std::string_view detail) {
    auto p = bad_request(code, detail);
    p.status = status;
    p.parameter = parameter;
    return p;
}

problem no_parameters() {
    return bad_request("unknown_parameter", "This address takes no parameters.");
}

response json_answer(unsigned status, std::string json) {
    response r;
    r.status = status;
    r.content_type = "application/json";
    r.body = std::move(json) + '\n';
    return r;
}

response job_answer(unsigned status, const job_services& services, const jobs::job& j) {
    const auto time = now();
    auto r = json_answer(status, to_json(j, services.catalog.find(j.asked.export_name), time));
    if (const auto pause = poll_after(j, time))
        r.fields.push_back({"Retry-After", std::to_string(pause->count())});
    return r;
}

response accepted(const job_services& services, const jobs::job& j) {
    auto r = job_answer(202, services, j);
    r.fields.push_back({"Location", "/jobs/" + j.id});
    return r;
}

problem problem_of_refusal(jobs::submit_refusal why) {
    switch (why) {
        case jobs::submit_refusal::key_reused:
            return fault(409, "idempotency_conflict", "",
                         "This Idempotency-Key belongs to a request for something else.");
        case jobs::submit_refusal::too_many_jobs: {
            auto p = fault(429, "too_many_jobs", "",
                           "As many background exports as one caller may have wait or run "
                           "already; wait for one to end.");
            p.retry_after = std::chrono::seconds{30};
            return p;
        }
        case jobs::submit_refusal::queue_full: {
            auto p = fault(503, "queue_full", "",
                           "As many background exports wait as may; try again later.");
            p.retry_after = std::chrono::seconds{30};
            return p;
        }
        case jobs::submit_refusal::no_mail:
            break;
    }
    return fault(422, "mail_not_available", "notify",
                 "No letters are sent to this address from here; leave notify out and ask for the "
                 "job's state instead.");
}

void tell_submitted(const job_services& services, const request& r, const jobs::submitted& s) {
    services.observer.observe(observe::event{observe::level::info, "job_submitted"}
                                  .with("job", s.job.id)
                                  .with("export", s.job.asked.export_name)
                                  .with("request_id", r.request_id)
                                  .with("created", s.created));
    const auto& asked = s.job.asked;
    attempt made{services.audit, r, "job"};
    made.about(asked.export_name);
    made.about(exports::request{asked.range, asked.values, asked.excel, {}});
    made.done(s.job.id);
}

void tell_refused(const job_services& services, const request& r, const problem& p) {
    attempt refused{services.audit, r, "job"};
    const auto* entry = services.catalog.find(r.path[1]);
    if (entry != nullptr) refused.about(entry->what.name);
    refused.refuse(p.code);
    services.observer.observe(observe::event{observe::level::info, "job_refused"}
                                  .with("request_id", r.request_id)
                                  .with("code", p.code));
}

using read_result = std::variant<jobs::job_request, problem>;

read_result read_body(const job_services& services, const exports::catalog_entry& entry,
                      const request& r) {
    auto parsed = parse_job_body(r.body);
    if (auto* p = std::get_if<problem>(&parsed)) return std::move(*p);
    const auto& body = std::get<job_body>(parsed);
    auto asked = exports::parse_request(entry.what, *entry.zone, body.parameters);
    if (!asked) {
        const auto& error = asked.error();
        return fault(400, error.code, error.parameter, error.detail);
    }
    if (body.notify && !jobs::is_mail_address(*body.notify))
        return fault(400, "invalid_parameter", "notify", "notify has to be a mail address.");
    const auto may = permission_of(services.policies, r, entry);
    if (!may) return not_permitted();
    if (auto excess = excess_of(*may, entry, *asked)) return std::move(*excess);
    jobs::job_request job;
    job.owner = r.identity;
    job.groups = r.who.groups;
    job.caller = r.caller();
    job.export_name = entry.what.name;
    job.range = asked->range;
    job.values = asked->values;
    job.excel = asked->excel;
    job.notify = body.notify;
    return job;
}

// Everything about a request that can be said without asking the desk.
read_result read_submission(const job_services& services, const request& r) {
    const auto* entry = services.catalog.find(r.path[1]);
    if (entry == nullptr) return not_found();
    if (!r.query.empty()) {
        return bad_request("unknown_parameter",
                           "This address takes no parameters; they belong into the body.");
    }
    if (!is_json_type(r.content_type)) {
        return fault(415, "unsupported_media_type", "",
                     "The body has to be JSON, with Content-Type: application/json.");
    }
    std::optional<std::string> key;
    if (r.idempotency_key) {
        key = parse_idempotency_key(*r.idempotency_key);
        if (!key) {
            return bad_request("invalid_idempotency_key",
                               "An Idempotency-Key is 1 to 255 visible ASCII characters.");
        }
    }
    auto result = read_body(services, *entry, r);
    if (auto* job = std::get_if<jobs::job_request>(&result)) {
        job->idempotency_key = std::move(key);
        if (services.life.draining()) return problem_of(errc::shutting_down);
        if (auto spent = row_quota_of(services.quota, r)) return std::move(*spent);
    }
    return result;
}

response refusal(const problem& p, const request& r) {
    auto answer = to_response(p, r.request_id);
    // RFC 9110 section 12.5.1: which types would have been taken.
    if (p.status == 415) answer.fields.push_back({"Accept", "application/json"});
    return answer;
}

std::variant<std::size_t, problem> read_limit(const request& r) {
    std::size_t limit = usual_list;
    bool given = false;
    for (const auto& [name, value] : r.query) {
        if (name != "limit") {
            return bad_request("unknown_parameter",
                               "There is no such parameter; the only one is limit.");
        }
        if (std::exchange(given, true))
            return fault(400, "repeated_parameter", "limit", "limit is given more than once.");
        const auto* end = value.data() + value.size();
        const auto parsed = std::from_chars(value.data(), end, limit);
        if (parsed.ec != std::errc{} || parsed.ptr != end || limit < 1 || limit > longest_list)
            return fault(400, "invalid_parameter", "limit", "limit is a number from 1 to 100.");
    }
    return limit;
}

response list_answer(const job_services& services, const std::vector<jobs::job>& found) {
    const auto time = now();
    std::string list = "[";
    for (const auto& j : found) {
        if (list.size() > 1) list += ',';
        list += to_json(j, services.catalog.find(j.asked.export_name), time);
    }
    json_object o;
    o.raw("jobs", list + ']');
    return json_answer(200, std::move(o).done());
}

using job_call = asio::awaitable<std::optional<jobs::job>> (jobs::job_desk::*)(std::string,
                                                                               std::string);

// Answers with the job that `call` gives for the id in the path.
asio::awaitable<void> serve_job(job_services& services, exchange& x, job_call call) {
    const auto& r = x.request();
    const auto id = job_id_in(r.path[1]);
    std::optional<problem> failure;
    if (!id) failure = not_found();
    if (!r.query.empty()) failure = no_parameters();
    std::optional<jobs::job> found;
    if (!failure) {
        auto asked = (services.desk.*call)(r.identity, *id);
        auto outcome = co_await ask_desk(services, x, std::move(asked), found);
        if (outcome.gone) co_return;
        failure = std::move(outcome.failure);
        if (!failure && !found) failure = not_found();
    }
    if (!failure && r.method == "DELETE") {
        attempt ended{services.audit, r, "cancel"};
        ended.about(found->asked.export_name);
        ended.done(found->id);
    }
    auto answer = failure ? to_response(*failure, r.request_id) : job_answer(200, services, *found);
    co_await x.reply(std::move(answer));
}

}  // namespace

asio::awaitable<void> submit_job_endpoint::serve(exchange& x) {
    const auto& r = x.request();
    auto read = read_submission(services_, r);
    if (const auto* p = std::get_if<problem>(&read)) {
        tell_refused(services_, r, *p);
        auto answer = refusal(*p, r);
        co_await x.reply(std::move(answer));
        co_return;
    }
    std::variant<jobs::submitted, jobs::submit_refusal> result;
    auto call = services_.desk.submit(std::move(std::get<jobs::job_request>(read)));
    auto outcome = co_await ask_desk(services_, x, std::move(call), result);
    if (outcome.gone) co_return;
    if (const auto* why = std::get_if<jobs::submit_refusal>(&result); why && outcome.ok())
        outcome.failure = problem_of_refusal(*why);
    if (outcome.failure) {
        tell_refused(services_, r, *outcome.failure);
        auto answer = to_response(*outcome.failure, r.request_id);
        co_await x.reply(std::move(answer));
        co_return;
    }
    const auto& submitted = std::get<jobs::submitted>(result);
    tell_submitted(services_, r, submitted);
    auto answer = accepted(services_, submitted.job);
    co_await x.reply(std::move(answer));
}

asio::awaitable<void> list_jobs_endpoint::serve(exchange& x) {
    const auto& r = x.request();
    const auto limit = read_limit(r);
    std::optional<problem> failure;
    std::vector<jobs::job> found;
    if (const auto* p = std::get_if<problem>(&limit)) {
        failure = *p;
    } else {
        auto call = services_.desk.list(r.identity, std::get<std::size_t>(limit));
        auto outcome = co_await ask_desk(services_, x, std::move(call), found);
        if (outcome.gone) co_return;
        failure = std::move(outcome.failure);
    }
    auto answer = failure ? to_response(*failure, r.request_id) : list_answer(services_, found);
    co_await x.reply(std::move(answer));
}

void job_endpoints::add_to(router& routes) {
    routes.add("POST", {"exports", "{}", "jobs"}, submit_);
    routes.add("GET", {"jobs"}, list_);
    routes.add("GET", {"jobs", "{}"}, show_);
    routes.add("DELETE", {"jobs", "{}"}, cancel_);
    routes.add("GET", {"jobs", "{}", "file"}, file_, audience::link);
}

asio::awaitable<void> job_endpoint::serve(exchange& x) {
    co_await serve_job(services_, x, &jobs::job_desk::find);
}

asio::awaitable<void> cancel_job_endpoint::serve(exchange& x) {
    co_await serve_job(services_, x, &jobs::job_desk::cancel);
}

}  // namespace exportd::http
