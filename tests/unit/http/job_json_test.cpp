#include "../../../src/http/job_json.hpp"

#include "catch.hpp"
#include "stub_desk.hpp"

using namespace exportd;
using namespace exportd::http;
using namespace std::chrono;
using jobs::job_state;

namespace {

const auto noon = at(sys_days{2025y / 3 / 1} + 12h);

jobs::job running(std::uint64_t rows, std::optional<std::uint64_t> expected) {
    auto j = make_job(job_state::running);
    j.attempt = 1;
    j.started_at = noon;
    j.rows = rows;
    j.expected_rows = expected;
    return j;
}

}  // namespace

TEST_CASE("a job that waits has told little yet", "[http][jobs]") {
    CHECK(to_json(make_job(), nullptr, noon) ==
          R"({"id":"0a72d61d-cc28-4b80-bf1c-8a80ea4e01ae","export":"orders",)"
          R"("from":"2025-01-01T00:00:00Z","to":"2025-02-01T00:00:00Z","values":"formatted",)"
          R"("excel":false,"state":"queued","attempt":0,"cancel_requested":false,"rows":0,)"
          R"("expected_rows":null,"progress":null,"eta_seconds":null,"bytes":0,)"
          R"("created_at":"2025-03-01T12:00:00Z","started_at":null,"finished_at":null,)"
          R"("links":{"self":"/jobs/0a72d61d-cc28-4b80-bf1c-8a80ea4e01ae","jobs":"/jobs"}})");
}

TEST_CASE("a complete job names its file", "[http][jobs]") {
    job_fixture f;
    auto j = make_complete_job();
    j.asked.values = exports::values::raw;
    j.asked.excel = true;
    j.asked.notify = "ann@example.com";
    j.mail = jobs::mail_state::sent;
    CHECK(to_json(j, f.catalog.find("orders"), noon) ==
          R"({"id":"0a72d61d-cc28-4b80-bf1c-8a80ea4e01ae","export":"orders","title":"Orders",)"
          R"("from":"2025-01-01T00:00:00Z","to":"2025-02-01T00:00:00Z","values":"raw",)"
          R"("excel":true,"state":"complete","attempt":1,"cancel_requested":false,"rows":2,)"
          R"("expected_rows":2,"progress":1,"eta_seconds":null,"bytes":7,)"
          R"("created_at":"2025-03-01T12:00:00Z","started_at":"2025-03-01T12:00:01Z",)"
          R"("finished_at":"2025-03-01T12:00:05Z",)"
          R"("file":{"href":"/jobs/0a72d61d-cc28-4b80-bf1c-8a80ea4e01ae/file",)"
          R"("name":"orders_2025-01-01_2025-02-01.csv","bytes":7,)"
          R"("sha256":"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",)"
          R"("expires_at":"2025-03-08T12:00:05Z"},"mail":{"state":"sent"},)"
          R"("links":{"self":"/jobs/0a72d61d-cc28-4b80-bf1c-8a80ea4e01ae",)"
          R"("file":"/jobs/0a72d61d-cc28-4b80-bf1c-8a80ea4e01ae/file","jobs":"/jobs"}})");
}

TEST_CASE("who asked for a letter sees that it is still to come", "[http][jobs]") {
    auto j = make_job();
    j.asked.notify = "ann@example.com";
    const auto text = to_json(j, nullptr, noon);
    CHECK(text.find(R"("mail":{"state":"waiting"})") != std::string::npos);
    CHECK(text.find("ann") == std::string::npos);
}

TEST_CASE("an export that is no longer configured still has a file's name", "[http][jobs]") {
    CHECK(file_name_of(make_job(), nullptr) == "0a72d61d-cc28-4b80-bf1c-8a80ea4e01ae.csv");
}

TEST_CASE("progress is the share of the rows, rounded down and never over one", "[http][jobs]") {
    CHECK(progress_of(running(0, 200)) == 0.0);
    CHECK(progress_of(running(50, 200)) == 0.25);
    CHECK(progress_of(running(1, 3)) == 0.3333);
    CHECK(progress_of(running(999'999, 1'000'000)) == 0.9999);
    CHECK(progress_of(running(200, 200)) == 1.0);
    CHECK(progress_of(running(500, 200)) == 1.0);
    CHECK(progress_of(running(5, std::nullopt)) == std::nullopt);
    CHECK(progress_of(running(0, 0)) == std::nullopt);
    auto done = make_complete_job();
    done.expected_rows = std::nullopt;
    CHECK(progress_of(done) == 1.0);
    done.state = job_state::expired;
    CHECK(progress_of(done) == 1.0);
}

TEST_CASE("the time that is left is told from the pace so far", "[http][jobs]") {
    CHECK(eta_of(running(50, 200), noon + 10s) == 30s);
    CHECK(eta_of(running(150, 200), noon + 10s) == 4s);
    CHECK(eta_of(running(200, 200), noon + 10s) == 0s);
}

TEST_CASE("no time is told that can't be known", "[http][jobs]") {
    CHECK(eta_of(running(0, 200), noon + 10s) == std::nullopt);
    CHECK(eta_of(running(50, std::nullopt), noon + 10s) == std::nullopt);
    CHECK(eta_of(running(201, 200), noon + 10s) == std::nullopt);
    CHECK(eta_of(running(50, 200), noon + 999ms) == std::nullopt);
    CHECK(eta_of(running(50, 200), noon - 5s) == std::nullopt);
    CHECK(eta_of(running(1, 18'446'744'073'709'551'615U), noon + 10s) == std::nullopt);
    auto waits = running(50, 200);
    waits.state = job_state::queued;
    CHECK(eta_of(waits, noon + 10s) == std::nullopt);
    auto leaving = running(50, 200);
    leaving.cancel_requested = true;
    CHECK(eta_of(leaving, noon + 10s) == std::nullopt);
}

TEST_CASE("a job that has not ended says when to ask again", "[http][jobs]") {
    CHECK(poll_after(make_job(), noon) == 5s);
    CHECK(poll_after(running(0, std::nullopt), noon + 1s) == 5s);
    CHECK(poll_after(running(50, 200), noon + 10s) == 7s);
    CHECK(poll_after(running(199, 200), noon + 10s) == 1s);
    CHECK(poll_after(running(1, 200), noon + 10s) == 60s);
    for (const auto ended :
         {job_state::complete, job_state::failed, job_state::cancelled, job_state::expired})
        CHECK(poll_after(make_job(ended), noon) == std::nullopt);
}

TEST_CASE("a failed job says why in words", "[http][jobs]") {
    auto j = make_job(job_state::failed);
    j.code = "store_full";
    CHECK(holds(to_json(j, nullptr, noon),
                R"("code":"store_full",)"
                R"("detail":"There is no room left for the file of this export.")"));
    CHECK(failure_text("gave_up") == "The export was tried several times and never finished.");
    CHECK(failure_text("something new") == "The export failed inside the service.");
}
