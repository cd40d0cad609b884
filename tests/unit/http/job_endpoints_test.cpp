#include <exportd/http/job_endpoints.hpp>

#include "catch.hpp"
#include "recorded_exchange.hpp"
#include "stub_desk.hpp"

using namespace exportd;
using namespace exportd::http;
using namespace std::chrono;
using jobs::job_state;
using jobs::submit_refusal;

namespace {

request post(std::string body) {
    request r;
    r.method = "POST";
    r.path = {"exports", "orders", "jobs"};
    r.content_type = "application/json";
    r.client = "203.0.113.5";
    r.request_id = "req-1";
    r.body = std::move(body);
    return r;
}

request get(std::vector<std::string> path) {
    request r;
    r.method = "GET";
    r.path = std::move(path);
    r.request_id = "req-1";
    return r;
}

const std::string january = R"({"from":"2025-01-01","to":"2025-02-01"})";

struct fixture : job_fixture {
    recorded_exchange submit(request r) {
        submit_job_endpoint served{services};
        return serve(served, std::move(r));
    }

    recorded_exchange serve(endpoint& by, request r, std::optional<errc> guard_end = {}) {
        recorded_exchange x{std::move(r)};
        x.guard_ends.push_back(guard_end);
        run_to_end(by.serve(x));
        return x;
    }

    // "status code parameter" of the answer to a request that the desk never sees.
    std::string refused(request r) {
        const auto x = submit(std::move(r));
        CHECK(desk.requests.empty());
        return told(x);
    }

    static std::string told(const recorded_exchange& x) {
        const auto& body = x.answer->body;
        const auto member = [&body](const std::string& name) {
            const auto start = body.find("\"" + name + "\":\"");
            if (start == std::string::npos) return std::string{};
            const auto value = start + name.size() + 4;
            return " " + body.substr(value, body.find('"', value) - value);
        };
        return std::to_string(x.answer->status) + member("code") + member("parameter");
    }
};

}  // namespace

TEST_CASE("a background export is asked for", "[http][jobs]") {
    fixture f;
    f.desk.submit_result = jobs::submitted{make_job(), true};
    auto r = post(R"({"from":"2025-06-01","to":"2025-07-01","values":"raw","excel":true,)"
                  R"("notify":"ann@example.com"})");
    r.idempotency_key = "\"key-1\"";
    const auto x = f.submit(r);
    CHECK(x.answer->status == 202);
    CHECK(x.answer->content_type == "application/json");
    CHECK(x.field("Location") == "/jobs/" + stub_id);
    CHECK(x.field("Retry-After") == "5");
    CHECK(holds(x.answer->body, "\"id\":\"" + stub_id + "\""));
    REQUIRE(f.desk.requests.size() == 1);
    const auto& asked = f.desk.requests.front();
    CHECK(asked.owner.empty());
    CHECK(asked.caller == "203.0.113.5");
    CHECK(asked.export_name == "orders");
    // London is an hour ahead in June.
    CHECK(exports::to_rfc3339(asked.range.from) == "2025-05-31T23:00:00Z");
    CHECK(exports::to_rfc3339(asked.range.to) == "2025-06-30T23:00:00Z");
    CHECK(asked.values == exports::values::raw);
    CHECK(asked.excel);
    CHECK(asked.notify == "ann@example.com");
    CHECK(asked.idempotency_key == "key-1");
    REQUIRE(x.guarded.size() == 1);
    CHECK(x.guarded.front().deadline == 10s);
}

TEST_CASE("who is told apart owns the job", "[http][jobs]") {
    fixture f;
    f.desk.submit_result = jobs::submitted{make_job(), true};
    auto r = post(january);
    r.identity = "ann";
    f.submit(r);
    CHECK(f.desk.requests.front().owner == "ann");
    CHECK(f.desk.requests.front().caller == "ann");
    CHECK(f.desk.requests.front().values == exports::values::formatted);
    CHECK_FALSE(f.desk.requests.front().excel);
    CHECK(f.desk.requests.front().notify == std::nullopt);
    CHECK(f.desk.requests.front().idempotency_key == std::nullopt);
}

TEST_CASE("the key's earlier job is answered as it stands now", "[http][jobs]") {
    fixture f;
    f.desk.submit_result = jobs::submitted{make_complete_job(), false};
    const auto x = f.submit(post(january));
    CHECK(x.answer->status == 202);
    CHECK(x.field("Location") == "/jobs/" + stub_id);
    CHECK(x.field("Retry-After") == std::nullopt);
    CHECK(holds(x.answer->body, "\"state\":\"complete\""));
    const auto found = f.events.all("job_submitted");
    REQUIRE(found.size() == 1);
    CHECK(field_of<std::string>(found[0], "job") == stub_id);
    CHECK_FALSE(field_of<bool>(found[0], "created"));
}

TEST_CASE("a body is held to the rules of the streamed export", "[http][jobs]") {
    fixture f;
    const auto with = [&](const std::string& body) { return f.refused(post(body)); };
    CHECK(with("{}") == "400 missing_parameter from");
    CHECK(with(R"({"from":"2025-01-01"})") == "400 missing_parameter to");
    CHECK(with(R"({"from":"01/01/2025","to":"2025-02-01"})") == "400 invalid_parameter from");
    CHECK(with(R"({"from":"2025-02-01","to":"2025-02-01"})") == "400 invalid_range to");
    CHECK(with(R"({"from":"2020-01-01","to":"2025-02-01"})") == "400 range_too_long to");
    CHECK(with(R"({"from":"2025-01-01","to":"2025-02-01","values":"x"})") ==
          "400 invalid_parameter values");
    CHECK(with(R"({"from":"2025-01-01","to":"2025-02-01","notify":"nobody"})") ==
          "400 invalid_parameter notify");
    CHECK(with(R"({"from":"2025-01-01","to":"2025-02-01","x":1})") == "400 unknown_parameter x");
    CHECK(with("[]") == "400 invalid_body");
}

TEST_CASE("what is around the body is checked as well", "[http][jobs]") {
    fixture f;
    auto r = post(january);
    r.path[1] = "nothing";
    CHECK(f.refused(r) == "404 not_found");
    r = post(january);
    r.query = {{"from", "2025-01-01"}};
    CHECK(f.refused(r) == "400 unknown_parameter");
    r = post(january);
    r.idempotency_key = "";
    CHECK(f.refused(r) == "400 invalid_idempotency_key");
    r = post(january);
    r.content_type = "text/plain";
    CHECK(f.refused(r) == "415 unsupported_media_type");
    CHECK(f.submit(r).field("Accept") == "application/json");
    r.content_type = "";
    CHECK(f.refused(r) == "415 unsupported_media_type");
    f.life.drain();
    CHECK(f.refused(post(january)) == "503 shutting_down");
}

TEST_CASE("an address that is no address is not repeated", "[http][jobs]") {
    fixture f;
    const auto x =
        f.submit(post(R"({"from":"2025-01-01","to":"2025-02-01","notify":"secret-person"})"));
    CHECK(x.answer->body.find("secret-person") == std::string::npos);
}

TEST_CASE("the desk's refusals have their answers", "[http][jobs]") {
    fixture f;
    const auto with = [&](submit_refusal why) {
        f.desk.submit_result = why;
        return f.submit(post(january));
    };
    const auto reused = with(submit_refusal::key_reused);
    CHECK(fixture::told(reused) == "409 idempotency_conflict");
    CHECK(reused.field("Retry-After") == std::nullopt);
    const auto many = with(submit_refusal::too_many_jobs);
    CHECK(fixture::told(many) == "429 too_many_jobs");
    CHECK(many.field("Retry-After") == "30");
    const auto full = with(submit_refusal::queue_full);
    CHECK(fixture::told(full) == "503 queue_full");
    CHECK(full.field("Retry-After") == "30");
    CHECK(fixture::told(with(submit_refusal::no_mail)) == "422 mail_not_available notify");
    CHECK(f.events.all("job_refused").size() == 4);
    CHECK(f.events.all("job_submitted").empty());
}

TEST_CASE("a desk that can't answer says why", "[http][jobs]") {
    fixture f;
    const auto with = [&](jobs::desk_fault why) {
        f.desk.fault = why;
        return f.submit(post(january));
    };
    CHECK(fixture::told(with(jobs::desk_fault::disabled)) == "503 jobs_disabled");
    CHECK(fixture::told(with(jobs::desk_fault::not_migrated)) == "503 jobs_not_set_up");
    const auto away = with(jobs::desk_fault::unavailable);
    CHECK(fixture::told(away) == "503 jobs_unavailable");
    CHECK(away.field("Retry-After") == "10");
}

TEST_CASE("a desk that does not answer in time is not waited for", "[http][jobs]") {
    fixture f;
    job_endpoint show{f.services};
    const auto late = f.serve(show, get({"jobs", stub_id}), errc::export_deadline);
    CHECK(fixture::told(late) == "503 jobs_unavailable");
    const auto cut = f.serve(show, get({"jobs", stub_id}), errc::shutting_down);
    CHECK(fixture::told(cut) == "503 shutting_down");
    const auto gone = f.serve(show, get({"jobs", stub_id}), errc::client_gone);
    CHECK_FALSE(gone.answered());
}

TEST_CASE("a job is shown to its owner", "[http][jobs]") {
    fixture f;
    f.desk.job.asked.owner = "ann";
    job_endpoint show{f.services};
    const auto as = [&](std::string identity, std::string id) {
        auto r = get({"jobs", std::move(id)});
        r.identity = std::move(identity);
        return f.serve(show, r);
    };
    const auto own = as("ann", stub_id);
    CHECK(own.answer->status == 200);
    CHECK(own.field("Retry-After") == "5");
    CHECK(holds(own.answer->body, "\"title\":\"Orders\""));
    CHECK(as("ann", "0A72D61D-CC28-4B80-BF1C-8A80EA4E01AE").answer->status == 200);
    CHECK(f.desk.asked.back() == "find ann " + stub_id);

    CHECK(fixture::told(as("bob", stub_id)) == "404 not_found");
    CHECK(fixture::told(as("ann", "0a72d61d-cc28-4b80-bf1c-8a80ea4e01af")) == "404 not_found");
    const auto asked = f.desk.asked.size();
    for (const auto* id : {"x", "", "1", "0a72d61d-cc28-4b80-bf1c-8a80ea4e01a",
                           "0a72d61d-cc28-4b80-bf1c-8a80ea4e01ag", "' OR 1=1 --"})
        CHECK(fixture::told(as("ann", id)) == "404 not_found");
    CHECK(f.desk.asked.size() == asked);
}

TEST_CASE("a job is cancelled by its owner", "[http][jobs]") {
    fixture f;
    f.desk.job = make_job(job_state::cancelled);
    cancel_job_endpoint cancel{f.services};
    auto r = get({"jobs", stub_id});
    r.method = "DELETE";
    const auto x = f.serve(cancel, r);
    CHECK(x.answer->status == 200);
    CHECK(holds(x.answer->body, "\"state\":\"cancelled\""));
    CHECK(f.desk.asked.back() == "cancel  " + stub_id);
    r.path[1] = "0a72d61d-cc28-4b80-bf1c-8a80ea4e01af";
    CHECK(fixture::told(f.serve(cancel, r)) == "404 not_found");
}

TEST_CASE("one's jobs are listed", "[http][jobs]") {
    fixture f;
    list_jobs_endpoint list{f.services};
    const auto with = [&](std::vector<std::pair<std::string, std::string>> query) {
        auto r = get({"jobs"});
        r.identity = "ann";
        r.query = std::move(query);
        return f.serve(list, r);
    };
    const auto x = with({});
    CHECK(x.answer->status == 200);
    CHECK(holds(x.answer->body, "{\"jobs\":[{\"id\":\"" + stub_id + "\""));
    CHECK(f.desk.asked.back() == "list ann 20");
    with({{"limit", "100"}});
    CHECK(f.desk.asked.back() == "list ann 100");
    for (const auto* limit : {"0", "101", "-1", "", "x", "1x", "+5", "99999999999999999999999"})
        CHECK(fixture::told(with({{"limit", limit}})) == "400 invalid_parameter limit");
    CHECK(fixture::told(with({{"limit", "1"}, {"limit", "1"}})) == "400 repeated_parameter limit");
    CHECK(fixture::told(with({{"owner", "bob"}})) == "400 unknown_parameter");
}

TEST_CASE("the addresses of jobs and their methods", "[http][jobs]") {
    fixture f;
    job_endpoints all{f.services};
    router routes;
    all.add_to(routes);
    const auto methods = [&](const std::vector<std::string>& path) {
        return routes.find("PUT", path).allow;
    };
    CHECK(methods({"exports", "orders", "jobs"}) == std::vector<std::string>{"POST"});
    CHECK(methods({"jobs"}) == std::vector<std::string>{"GET", "HEAD"});
    CHECK(methods({"jobs", stub_id}) == std::vector<std::string>{"GET", "HEAD", "DELETE"});
    CHECK(methods({"jobs", stub_id, "file"}) == std::vector<std::string>{"GET", "HEAD"});
}
