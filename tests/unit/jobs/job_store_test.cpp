#include <exportd/jobs/job_store.hpp>
#include <exportd/jobs/migrations.hpp>

#include "catch.hpp"
#include "pg/server.hpp"
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

using namespace exportd;
using namespace exportd::jobs;
using namespace std::chrono_literals;

namespace {

sql::session_options options() {
    return {pg::test::database_url(), "exportd job store test", 5s, 30s};
}

exports::instant day(int n) {
    return exports::instant{std::chrono::days{20'000 + n}};
}

job_request request_of(const std::string& caller) {
    job_request r;
    r.owner = caller;
    r.caller = caller;
    r.export_name = "orders";
    r.range = {day(0), day(30)};
    return r;
}

constexpr job_limits plenty{1'000, 1'000};
const std::vector<std::string> known{"other", "orders"};

// A job table with nothing in it, and a store as each of two replicas has it.
struct table {
    table() {
        migrate(session);
        session.exec_script("TRUNCATE exportd.jobs");
    }

    job add(const job_request& r, job_limits limits = plenty) {
        return std::get<submitted>(here.submit(r, limits)).job;
    }
    job look(const job& j) { return here.find(j.asked.owner, j.id).value(); }
    claimed_job claim(int most = 3, std::chrono::milliseconds lease = 1min) {
        return here.claim(lease, most, known).value();
    }
    // As if the owner of a claim had been silent for longer than its lease.
    void let_leases_pass() {
        session.exec(
            "UPDATE exportd.jobs SET lease_until = now() - interval '1 second' "
            "WHERE state = 'running'");
    }
    void make_due() { session.exec("UPDATE exportd.jobs SET due_at = now(), mail_due_at = now()"); }

    sql::session session{options()};
    sql::session other_session{options()};
    job_store here{session, "here"};
    job_store there{other_session, "there"};
};

job_store::finished_file file_of(const claimed_job& j) {
    return {j.job.id + "." + std::to_string(j.fence) + ".csv", std::string(64, 'a'), 10, 200, 1h};
}

}  // namespace

TEST_CASE("migrating twice does nothing the second time", "[jobs][table]") {
    sql::session session{options()};
    session.exec_script("DROP SCHEMA IF EXISTS exportd CASCADE");
    CHECK(migrate(session) == std::vector<std::string>{"0001_jobs", "0002_access"});
    CHECK(migrate(session).empty());
    session.exec("INSERT INTO exportd.migrations (version, name) VALUES (9999, 'later')");
    CHECK_THROWS_AS(migrate(session), sql::error);
    session.exec("DELETE FROM exportd.migrations WHERE version = 9999");
}

TEST_CASE("a job comes back as it was asked for", "[jobs][table]") {
    table t;
    auto asked = request_of("ann");
    asked.range = {day(1) + 1us, day(2)};
    asked.values = exports::values::raw;
    asked.excel = true;
    asked.notify = "ann@example.com";
    const auto made = t.add(asked);
    CHECK(made.state == job_state::queued);
    const auto found = t.look(made);
    CHECK(found.asked.range.from == day(1) + 1us);
    CHECK(found.asked.range.to == day(2));
    CHECK(found.asked.values == exports::values::raw);
    CHECK(found.asked.excel);
    CHECK(found.asked.notify == "ann@example.com");
    CHECK(found.mail == mail_state::none);
    CHECK_FALSE(t.here.find("bob", made.id));
}

TEST_CASE("one key is one job, and another request under it is refused", "[jobs][table]") {
    table t;
    auto asked = request_of("ann");
    asked.idempotency_key = "k1";
    const auto first = std::get<submitted>(t.here.submit(asked, plenty));
    const auto again = std::get<submitted>(t.there.submit(asked, plenty));
    CHECK(first.created);
    CHECK_FALSE(again.created);
    CHECK(again.job.id == first.job.id);

    auto longer = asked;
    longer.range.to = day(31);
    CHECK(std::get<submit_refusal>(t.here.submit(longer, plenty)) == submit_refusal::key_reused);
    auto bobs = request_of("bob");
    bobs.idempotency_key = "k1";
    CHECK(std::get<submitted>(t.here.submit(bobs, plenty)).created);
}

TEST_CASE("equal requests at the same moment on two replicas are one job", "[jobs][table]") {
    table t;
    auto asked = request_of("ann");
    asked.idempotency_key = "k1";
    std::vector<std::string> ids(2);
    std::jthread one{[&] { ids[0] = std::get<submitted>(t.here.submit(asked, plenty)).job.id; }};
    std::jthread two{[&] { ids[1] = std::get<submitted>(t.there.submit(asked, plenty)).job.id; }};
    one.join();
    two.join();
    CHECK(ids[0] == ids[1]);
    CHECK(t.here.list("ann", 10).size() == 1);
}

TEST_CASE("limits count what waits and runs", "[jobs][table]") {
    table t;
    const job_limits tight{2, 3};
    t.add(request_of("ann"), tight);
    t.add(request_of("ann"), tight);
    CHECK(std::get<submit_refusal>(t.here.submit(request_of("ann"), tight)) ==
          submit_refusal::too_many_jobs);
    t.add(request_of("bob"), tight);
    CHECK(std::get<submit_refusal>(t.here.submit(request_of("cy"), tight)) ==
          submit_refusal::queue_full);
    t.here.fail(t.claim(), "query_failed");
    CHECK(std::holds_alternative<submitted>(t.here.submit(request_of("cy"), tight)));
}

TEST_CASE("two replicas never claim one job", "[jobs][table]") {
    table t;
    const auto made = t.add(request_of("ann"));
    const auto mine = t.here.claim(1min, 3, known);
    REQUIRE(mine);
    CHECK(mine->job.id == made.id);
    CHECK(mine->job.attempt == 1);
    CHECK_FALSE(t.there.claim(1min, 3, known));
}

TEST_CASE("somebody with many jobs does not delay others", "[jobs][table]") {
    table t;
    for (int i = 0; i < 5; ++i)
        t.add(request_of("ann"));
    t.here.fail(t.claim(), "query_failed");
    t.add(request_of("bob"));
    const auto next = t.claim();
    CHECK(next.job.asked.caller == "bob");
    CHECK(t.claim().job.asked.caller == "ann");
}

TEST_CASE("a lease that passed makes the job another's, and the late owner is refused",
          "[jobs][table]") {
    table t;
    t.add(request_of("ann"));
    const auto late = t.claim();
    CHECK(t.here.renew(late, 1min, 5, 100, 10) == lease_state::held);
    CHECK(t.look(late.job).rows == 5);
    CHECK(t.look(late.job).expected_rows == 10);
    t.let_leases_pass();
    const auto next = t.there.claim(1min, 3, known);
    REQUIRE(next);
    CHECK(next->job.id == late.job.id);
    CHECK(next->fence == late.fence + 1);
    CHECK(next->job.attempt == 2);

    CHECK(t.here.renew(late, 1min, 6, 120, 10) == lease_state::lost);
    CHECK_FALSE(t.here.complete(late, file_of(late)));
    CHECK_FALSE(t.here.fail(late, "query_failed"));
    CHECK_FALSE(t.here.put_back(late, 0ms, true));
    CHECK(t.look(late.job).state == job_state::running);
    CHECK(t.there.complete(*next, file_of(*next)));
    CHECK(t.look(late.job).file == file_of(*next).key);
}

TEST_CASE("a job that was begun as often as may be has failed", "[jobs][table]") {
    table t;
    auto asked = request_of("ann");
    asked.notify = "ann@example.com";
    const auto made = t.add(asked);
    for (int i = 0; i < 3; ++i) {
        CHECK(t.claim().job.attempt == i + 1);
        t.let_leases_pass();
    }
    CHECK_FALSE(t.here.claim(1min, 3, known));
    CHECK(t.look(made).state == job_state::failed);
    CHECK(t.look(made).code == "gave_up");
    CHECK(t.look(made).mail == mail_state::waiting);
}

TEST_CASE("a try is repeated after its pause, and one that does not count is not counted",
          "[jobs][table]") {
    table t;
    t.add(request_of("ann"));
    CHECK(t.here.put_back(t.claim(), 1h, true));
    CHECK_FALSE(t.here.claim(1min, 3, known));
    t.make_due();
    const auto second = t.claim();
    CHECK(second.job.attempt == 2);
    CHECK(t.here.put_back(second, 0ms, false));
    CHECK(t.claim().job.attempt == 2);
}

TEST_CASE("cancelling ends what waits, and asks for the end of what runs", "[jobs][table]") {
    table t;
    const auto waits = t.add(request_of("ann"));
    CHECK(t.here.cancel("ann", waits.id)->state == job_state::cancelled);
    CHECK_FALSE(t.here.claim(1min, 3, known));

    const auto made = t.add(request_of("ann"));
    const auto runs = t.claim();
    CHECK_FALSE(t.here.cancel("bob", made.id));
    CHECK(t.there.cancel("ann", made.id)->state == job_state::running);
    CHECK(t.here.renew(runs, 1min, 0, 0, {}) == lease_state::cancel);
    CHECK(t.here.cancelled(runs));
    CHECK(t.look(made).state == job_state::cancelled);
}

TEST_CASE("a job that was to end and is put back has ended", "[jobs][table]") {
    table t;
    auto asked = request_of("ann");
    asked.notify = "ann@example.com";
    const auto made = t.add(asked);
    const auto runs = t.claim();
    t.there.cancel("ann", made.id);
    CHECK(t.here.put_back(runs, 0ms, false));
    CHECK(t.look(made).state == job_state::cancelled);
    CHECK(t.look(made).asked.notify == std::nullopt);
    CHECK(t.look(made).finished_at);
}

TEST_CASE("a job of an export that is not known here is left to others", "[jobs][table]") {
    table t;
    auto asked = request_of("ann");
    asked.export_name = "newer";
    const auto made = t.add(asked);
    CHECK_FALSE(t.here.claim(1min, 3, known));
    CHECK(t.there.claim(1min, 3, {"newer"})->job.id == made.id);
}

TEST_CASE("a key with a letter and without one are two requests", "[jobs][table]") {
    table t;
    auto quiet = request_of("ann");
    quiet.idempotency_key = "k1";
    t.add(quiet);
    auto told = quiet;
    told.notify = "ann@example.com";
    CHECK(std::get<submit_refusal>(t.here.submit(told, plenty)) == submit_refusal::key_reused);
    told.idempotency_key = "k2";
    const auto made = t.add(told);
    t.here.letter_sent(made);
    auto other = quiet;
    other.idempotency_key = "k2";
    CHECK(std::get<submit_refusal>(t.here.submit(other, plenty)) == submit_refusal::key_reused);
}

TEST_CASE("an old job is forgotten even if nobody sent its letter", "[jobs][table]") {
    table t;
    auto asked = request_of("ann");
    asked.notify = "ann@example.com";
    t.add(asked);
    t.here.fail(t.claim(), "query_failed");
    CHECK(t.here.forget_jobs(1h) == 0);
    CHECK(t.here.forget_jobs(0ms) == 1);
}

TEST_CASE("a job that was to end and whose owner vanished has ended", "[jobs][table]") {
    table t;
    const auto made = t.add(request_of("ann"));
    t.claim();
    t.here.cancel("ann", made.id);
    t.let_leases_pass();
    CHECK_FALSE(t.here.claim(1min, 3, known));
    CHECK(t.look(made).state == job_state::cancelled);
}

TEST_CASE("a file expires, is handed out for removal, and the job forgets it", "[jobs][table]") {
    table t;
    const auto made = t.add(request_of("ann"));
    const auto run = t.claim();
    CHECK(t.here.is_file(file_of(run).key));
    CHECK(t.here.complete(run, file_of(run)));
    CHECK(t.here.is_file(file_of(run).key));
    CHECK_FALSE(t.here.is_file(made.id + ".7.csv"));
    CHECK_FALSE(t.here.due_expiry());
    CHECK(t.look(made).state == job_state::complete);

    CHECK(t.here.cancel("ann", made.id)->state == job_state::expired);
    const auto due = t.here.due_expiry();
    REQUIRE(due);
    CHECK(due->file == file_of(run).key);
    CHECK_FALSE(t.there.due_expiry());
    t.make_due();
    CHECK(t.there.due_expiry());
    t.here.forget_file(*due);
    t.make_due();
    CHECK_FALSE(t.here.due_expiry());
    CHECK_FALSE(t.here.is_file(file_of(run).key));
    CHECK(t.here.forget_jobs(1h) == 0);
    CHECK(t.here.forget_jobs(0ms) == 1);
}

TEST_CASE("a letter is claimed once, and its address is forgotten when it is settled",
          "[jobs][table]") {
    table t;
    auto asked = request_of("ann");
    asked.notify = "ann@example.com";
    const auto made = t.add(asked);
    CHECK_FALSE(t.here.claim_letter(1min));
    const auto run = t.claim();
    t.here.complete(run, file_of(run));
    const auto letter = t.here.claim_letter(1min);
    REQUIRE(letter);
    CHECK(letter->attempt == 1);
    CHECK(letter->job.asked.notify == "ann@example.com");
    CHECK_FALSE(t.there.claim_letter(1min));
    t.here.letter_later(letter->job, 0ms);
    CHECK(t.there.claim_letter(1min)->attempt == 2);
    t.here.add_link(letter->job, "d1");
    t.here.add_link(letter->job, "d2");
    t.here.letter_sent(letter->job);
    CHECK(t.look(made).mail == mail_state::sent);
    CHECK(t.look(made).asked.notify == std::nullopt);
    CHECK(t.here.find_by_link(made.id, "d1"));
    CHECK(t.here.find_by_link(made.id, "d2"));
    CHECK_FALSE(t.here.find_by_link(made.id, "d3"));
    CHECK(t.here.counts().letters == 0);
}
