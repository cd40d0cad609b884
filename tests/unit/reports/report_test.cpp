#include <exportd/reports/quarterly_report.hpp>
#include <exportd/reports/report_json.hpp>
#include <exportd/reports/report_pdf.hpp>

#include "../pg/server.hpp"
#include "catch.hpp"

using namespace exportd;
using namespace exportd::reports;
using namespace std::chrono;

namespace {

// Orders that the query makes up itself.
report_request wanted(const std::string& rows) {
    report_request r;
    r.export_name = "orders";
    r.title = "Orders";
    r.locale = "en-GB";
    r.zone = format::time_zone::load("Europe/London");
    r.columns = {"amount", "currency", "at", "who"};
    r.history = days{365};
    r.range = {2025y / 9 / 1, 2025y / 10 / 1};
    r.sql = "SELECT * FROM (VALUES " + rows +
            ") AS v (amount, currency, at, who) WHERE at >= $1 AND at < $2";
    return r;
}

report made_of(const std::string& rows, std::stop_token stop = {}) {
    sql::session database{
        {pg::test::database_url(), "exportd report test", seconds{5}, seconds{30}}};
    return make_report(wanted(rows), database, std::move(stop));
}

const char* const two_orders =
    "(10.50, 'GBP', timestamptz '2025-09-01 00:00+01', 'a'), "
    "(-0.25, 'GBP', timestamptz '2025-09-30 23:59+01', 'b')";

}  // namespace

TEST_CASE("a report is made of the rows of a query", "[reports][pg]") {
    const auto r = made_of(two_orders);
    REQUIRE(r.currencies.size() == 1);
    const auto& gbp = r.currencies.front();
    CHECK(gbp.sums.net.text == "£10.25");
    CHECK(gbp.sums.gross.value.text() == "10.50");
    CHECK(gbp.average->value.text() == "5.125000");
    CHECK(gbp.average->text == "£5.13");
    CHECK(gbp.median->value == amount::parse("5.125"));
    CHECK(gbp.days.front().net.text == "£10.50");
    CHECK(gbp.days.back().net.text == "-£0.25");
    CHECK(gbp.new_customers.customers == 2);
    CHECK(r.rows == 2);
}

TEST_CASE("a report as JSON has both forms of each amount", "[reports][pg]") {
    const auto text = to_json(made_of(two_orders));
    CHECK(text.find(R"("net":{"raw":"10.25","formatted":"£10.25"})") != std::string::npos);
    CHECK(text.find(R"("from_instant":"2025-08-31T23:00:00Z")") != std::string::npos);
    CHECK(text.back() == '\n');
}

TEST_CASE("a report as PDF is a PDF, also of nothing", "[reports][pg]") {
    for (const auto& r :
         {made_of(two_orders), made_of("(1, 'GBP', timestamptz '2020-01-01 00:00+00', 'a')")}) {
        const auto bytes = to_pdf(r, {});
        CHECK(bytes.starts_with("%PDF-1."));
        CHECK(bytes.size() > 5'000);
    }
}

TEST_CASE("a report that is stopped is not finished", "[reports][pg]") {
    std::stop_source stop;
    const auto r = made_of(two_orders);
    stop.request_stop();
    CHECK_THROWS_AS(to_pdf(r, stop.get_token()), sql::interrupted);
    CHECK_THROWS_AS(made_of(two_orders, stop.get_token()), sql::interrupted);
}

TEST_CASE("bytes that are no UTF-8 are replaced", "[reports]") {
    const std::string replaced = "\xEF\xBF\xBD";
    CHECK(valid_utf8("Größe 株 👩") == "Größe 株 👩");
    CHECK(valid_utf8("a\xFFz") == "a" + replaced + "z");
    CHECK(valid_utf8("\xC3") == replaced);
    CHECK(valid_utf8("\xED\xA0\x80").find("\xED") == std::string::npos);
    CHECK(valid_utf8("\xC0\xAF") == replaced + replaced);
}
