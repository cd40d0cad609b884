#include <exportd/http/file_endpoint.hpp>

#include "catch.hpp"
#include "recorded_exchange.hpp"
#include "stub_desk.hpp"

using namespace exportd;
using namespace exportd::http;
using jobs::job_state;

namespace {

const std::string text = "id\n1\n2\n";
constexpr auto etag = "\"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae\"";

request get() {
    request r;
    r.method = "GET";
    r.path = {"jobs", stub_id, "file"};
    r.client = "203.0.113.5";
    r.request_id = "req-1";
    return r;
}

struct fixture : job_fixture {
    fixture() {
        desk.job = make_complete_job(text);
        desk.text = text;
    }

    recorded_exchange serve(request r) {
        recorded_exchange x{std::move(r)};
        serve(x);
        return x;
    }
    void serve(recorded_exchange& x) {
        file_endpoint served{services};
        run_to_end(served.serve(x));
    }

    observe::event finished() const {
        const auto found = events.all("download_finished");
        REQUIRE(found.size() == 1);
        return found.front();
    }
};

std::string told(const recorded_exchange& x) {
    REQUIRE(x.answer);
    CHECK_FALSE(x.streamed);
    const auto& body = x.answer->body;
    const auto start = body.find("\"code\":\"") + 8;
    return std::to_string(x.answer->status) + " " +
           body.substr(start, body.find('"', start) - start);
}

}  // namespace

TEST_CASE("the file of a complete job is sent whole", "[http][jobs]") {
    fixture f;
    const auto x = f.serve(get());
    REQUIRE(x.streamed);
    CHECK(x.streamed->status == 200);
    CHECK(x.streamed->content_length == 7);
    CHECK(x.streamed->content_type == "text/csv; charset=utf-8; header=present");
    CHECK(x.streamed->trailers.empty());
    CHECK(x.field("ETag") == etag);
    CHECK(x.field("Accept-Ranges") == "bytes");
    CHECK(x.field("Content-Range") == std::nullopt);
    CHECK(x.field("Last-Modified") == "Sat, 01 Mar 2025 12:00:05 GMT");
    CHECK(x.field("Content-Disposition") ==
          "attachment; filename=\"orders_2025-01-01_2025-02-01.csv\"");
    CHECK(x.field("Repr-Digest") == "sha-256=:LCa0a2j/xo/5m0U8HTBBNBNCLXBkg7+g+YpeiGJm564=:");
    CHECK(x.field("Export-Rows") == "2");
    CHECK(x.field("Export-Range") == "2025-01-01T00:00:00Z/2025-02-01T00:00:00Z");
    CHECK(x.body == text);
    CHECK((x.finished && !x.aborted));
    CHECK(field_of<std::string>(f.finished(), "outcome") == "complete");
    CHECK(field_of<std::int64_t>(f.finished(), "bytes") == 7);
    CHECK(field_of<std::string>(f.finished(), "job") == stub_id);
    CHECK_FALSE(field_of<bool>(f.finished(), "by_link"));
}

TEST_CASE("a part of the file is sent", "[http][jobs]") {
    fixture f;
    auto r = get();
    r.range = "bytes=3-";
    r.if_range = etag;
    const auto x = f.serve(r);
    CHECK(x.streamed->status == 206);
    CHECK(x.streamed->content_length == 4);
    CHECK(x.field("Content-Range") == "bytes 3-6/7");
    CHECK(x.field("ETag") == etag);
    CHECK(x.field("Repr-Digest") == "sha-256=:LCa0a2j/xo/5m0U8HTBBNBNCLXBkg7+g+YpeiGJm564=:");
    CHECK(x.body == "1\n2\n");
    CHECK(field_of<std::int64_t>(f.finished(), "offset") == 3);
}

TEST_CASE("HEAD has the same fields and no body", "[http][jobs]") {
    fixture f;
    auto r = get();
    r.method = "HEAD";
    r.range = "bytes=3-";
    const auto x = f.serve(r);
    REQUIRE(x.head);
    CHECK(x.head->status == 200);
    CHECK(x.head->content_length == 7);
    CHECK(x.field("ETag") == etag);
    CHECK(f.events.all("download_finished").empty());
}

TEST_CASE("conditions are answered without the file", "[http][jobs]") {
    fixture f;
    auto r = get();
    r.if_none_match = etag;
    const auto same = f.serve(r);
    CHECK(same.answer->status == 304);
    CHECK(same.answer->body.empty());
    CHECK(same.answer->content_type.empty());
    CHECK(same.field("ETag") == etag);

    r = get();
    r.if_match = "\"other\"";
    CHECK(told(f.serve(r)) == "412 precondition_failed");

    r = get();
    r.range = "bytes=7-";
    const auto behind = f.serve(r);
    CHECK(told(behind) == "416 range_not_satisfiable");
    CHECK(behind.field("Content-Range") == "bytes */7");
    CHECK(f.events.all("download_finished").empty());
}

TEST_CASE("a job without a file says why", "[http][jobs]") {
    fixture f;
    const auto with = [&](job_state state) {
        f.desk.job = make_job(state);
        f.desk.job.code = "store_full";
        return f.serve(get());
    };
    const auto waits = with(job_state::queued);
    CHECK(told(waits) == "409 not_ready");
    CHECK(waits.field("Retry-After") == "5");
    CHECK(told(with(job_state::running)) == "409 not_ready");
    CHECK(told(with(job_state::failed)) == "409 store_full");
    CHECK(told(with(job_state::cancelled)) == "410 expired");
    CHECK(told(with(job_state::expired)) == "410 expired");
    f.desk.job = make_complete_job(text);
    f.desk.text = std::nullopt;
    CHECK(told(f.serve(get())) == "410 expired");
}

TEST_CASE("the token of a link opens the file to anybody", "[http][jobs]") {
    fixture f;
    f.desk.job.asked.owner = "ann";
    auto r = get();
    CHECK(told(f.serve(r)) == "404 not_found");
    r.query = {{"token", stub_token}};
    const auto x = f.serve(r);
    CHECK(x.body == text);
    CHECK(field_of<bool>(f.finished(), "by_link"));
    CHECK(f.desk.asked.back() == "token " + stub_id);

    r.query = {{"token", std::string(43, 'x')}};
    CHECK(told(f.serve(r)) == "404 not_found");
    for (const auto& token :
         {std::string{}, std::string(42, 'T'), std::string(44, 'T'), std::string(42, 'T') + "+"}) {
        r.query = {{"token", token}};
        CHECK(told(f.serve(r)) == "404 not_found");
    }
}

TEST_CASE("no answer and no event holds a token", "[http][jobs]") {
    fixture f;
    const auto with = [&](std::vector<std::pair<std::string, std::string>> query) {
        auto r = get();
        r.query = std::move(query);
        const auto x = f.serve(r);
        CHECK(x.answer->body.find(stub_token) == std::string::npos);
        return told(x);
    };
    CHECK(with({{"token", stub_token}, {"token", stub_token}}) == "400 repeated_parameter");
    CHECK(with({{"tokem", stub_token}}) == "400 unknown_parameter");
    CHECK(with({{stub_token, ""}}) == "400 unknown_parameter");
    CHECK(with({{"token", stub_token}, {"x", ""}}) == "400 unknown_parameter");

    auto r = get();
    r.query = {{"token", stub_token}};
    f.serve(r);
    const auto told_of = f.finished();
    for (const auto& field : told_of.fields()) {
        const auto* value = std::get_if<std::string>(&field.value);
        CHECK((value == nullptr || value->find(stub_token) == std::string::npos));
    }
}

TEST_CASE("ids in any case, and what is none", "[http][jobs]") {
    fixture f;
    auto r = get();
    r.path[1] = "0A72D61D-CC28-4B80-BF1C-8A80EA4E01AE";
    CHECK(f.serve(r).body == text);
    r.path[1] = "orders";
    CHECK(told(f.serve(r)) == "404 not_found");
}

TEST_CASE("a file is sent in pieces", "[http][jobs]") {
    fixture f;
    f.services.limits.piece_bytes = 3;
    auto r = get();
    CHECK(f.serve(r).writes == std::vector<std::size_t>{3, 3, 1});
    r.range = "bytes=1-6";
    const auto part = f.serve(r);
    CHECK(part.writes == std::vector<std::size_t>{3, 3});
    CHECK(part.body == "d\n1\n2\n");
}

TEST_CASE("a store that fails before the first byte is a problem", "[http][jobs]") {
    fixture f;
    f.desk.fails_at = 0;
    const auto x = f.serve(get());
    REQUIRE(x.answer);
    CHECK(x.answer->status == 503);
    CHECK(holds(x.answer->body, "jobs_unavailable"));
    CHECK(x.body.empty());
    CHECK(field_of<std::string>(f.finished(), "outcome") == "failed");
}

TEST_CASE("a store that fails in the middle breaks the transfer", "[http][jobs]") {
    fixture f;
    f.services.limits.piece_bytes = 2;
    f.desk.fails_at = 4;
    const auto x = f.serve(get());
    CHECK(x.body == "id\n1");
    CHECK_FALSE(x.answer);
    CHECK((x.aborted && !x.finished));
    CHECK(field_of<std::string>(f.finished(), "outcome") == "failed");
    CHECK(field_of<std::string>(f.finished(), "code") == "jobs_unavailable");
    CHECK(field_of<std::int64_t>(f.finished(), "bytes") == 4);
}

TEST_CASE("a client that leaves in the middle is told apart from a fault", "[http][jobs]") {
    fixture f;
    f.services.limits.piece_bytes = 2;
    recorded_exchange x{get()};
    x.fails_at_write = 2;
    f.serve(x);
    CHECK((x.aborted && !x.finished && !x.answer));
    CHECK(field_of<std::string>(f.finished(), "outcome") == "aborted");
    CHECK(field_of<std::string>(f.finished(), "code") == "client_gone");
    CHECK(field_of<std::int64_t>(f.finished(), "bytes") == 4);
}

TEST_CASE("a file that is not as long as its job says is not sent", "[http][jobs]") {
    fixture f;
    f.desk.text = text + "3\n";
    CHECK(told(f.serve(get())) == "500 internal_error");
    CHECK(field_of<std::string>(f.finished(), "outcome") == "failed");
}

TEST_CASE("a download ends with its limits", "[http][jobs]") {
    fixture f;
    const auto with = [&](errc end) {
        recorded_exchange x{get()};
        x.guard_ends = {std::nullopt, std::nullopt, end};  // of find, of open, of the transfer
        f.serve(x);
        return x;
    };
    CHECK(told(with(errc::export_deadline)) == "504 export_deadline");
    CHECK(told(with(errc::shutting_down)) == "503 shutting_down");
    CHECK_FALSE(with(errc::client_gone).answered());
    CHECK_FALSE(with(errc::stalled).answered());
    CHECK(f.events.all("download_finished").size() == 4);
}

TEST_CASE("downloads of one caller and of all are limited", "[http][jobs]") {
    fixture f;
    {
        const auto own = f.downloads.enter("203.0.113.5");
        const auto x = f.serve(get());
        CHECK(told(x) == "429 too_many_downloads");
        CHECK(x.field("Retry-After") == "2");
        auto head = get();
        head.method = "HEAD";
        CHECK(f.serve(head).head);
    }
    {
        const auto first = f.downloads.enter("203.0.113.6");
        const auto second = f.downloads.enter("203.0.113.7");
        CHECK(told(f.serve(get())) == "503 overloaded");
    }
    CHECK(f.serve(get()).body == text);
    CHECK(f.downloads.running() == 0);
}

TEST_CASE("no download begins while the service is being stopped", "[http][jobs]") {
    fixture f;
    f.life.drain();
    CHECK(told(f.serve(get())) == "503 shutting_down");
}
