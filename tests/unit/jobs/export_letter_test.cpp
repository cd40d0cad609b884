#include <exportd/jobs/export_letter.hpp>

#include "../catch.hpp"

using namespace exportd::jobs;
using namespace std::chrono;

namespace {

export_facts facts() {
    return {"Orders", "2025-01-01", "2025-04-01", "0a72d61d"};
}

finished_export done() {
    finished_export d;
    d.link = "https://exports.example.com/jobs/0a72d61d/file?a=1&b=2";
    d.rows = 1'234'567;
    d.bytes = 98'765'432;
    d.expires = sys_days{2025y / 7 / 8} + 13h + 30min;
    d.utc_offset = 60min;
    d.zone = "London time";
    return d;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("The letter about a finished export says what it is, where, and until when",
          "[jobs][export_letter]") {
    const letter l = finished_letter(facts(), done());
    CHECK(l.subject == "Your export is ready: Orders, 1 January 2025 to 31 March 2025");
    CHECK(
        l.plain ==
        "Hello,\n\nthe export that you asked for is ready.\n\n"
        "  Export:           Orders\n"
        "  Period:           1 January 2025 to 31 March 2025\n"
        "  Rows:             1,234,567\n"
        "  File size:        98.8 MB\n"
        "  Available until:  8 July 2025, 14:30 (London time)\n\n"
        "Download it here:\n\nhttps://exports.example.com/jobs/0a72d61d/file?a=1&b=2\n\n"
        "The link works until then, as often as you like. Afterwards the file is deleted, and you "
        "can ask for it again.\n\n"
        "You get this letter because you asked for this export. Nobody reads answers to it. If "
        "you need help, please name job 0a72d61d.\n");
    for (const char* part :
         {"<a href=\"https://exports.example.com/jobs/0a72d61d/file?a=1&amp;b=2\"", "1,234,567",
          "98.8 MB", "8 July 2025, 14:30 (London time)", "1 January 2025 to 31 March 2025",
          "Your export is ready: Orders", "0a72d61d"}) {
        INFO(part);
        CHECK(has(l.html, part));
    }
    CHECK(l.html.starts_with("<!DOCTYPE html>\n"));
    CHECK(l.html.ends_with("</html>\n"));
}

TEST_CASE("The letter about a failure says why in plain words, and has no link",
          "[jobs][export_letter]") {
    const letter l = failed_letter(facts(), "export_deadline");
    CHECK(l.subject == "Your export could not be made: Orders, 1 January 2025 to 31 March 2025");
    CHECK(has(l.plain,
              "The export took longer than it may. Please ask for a shorter period.\n\nNo file was "
              "made"));
    CHECK(has(l.html, "The export took longer than it may."));
    CHECK_FALSE(has(l.plain, "http"));
    CHECK_FALSE(has(l.html, "href"));

    for (const char* code :
         {"query_failed", "database_unavailable", "first_row_timeout", "export_deadline",
          "too_many_rows", "store_full", "store_unavailable", "gave_up"}) {
        INFO(code);
        CHECK_FALSE(has(failed_letter(facts(), code).plain, "Something went wrong"));
        CHECK_FALSE(has(failed_letter(facts(), code).plain, code));
    }
    const letter unknown = failed_letter(facts(), "SELECT * FROM secrets");
    CHECK(has(unknown.plain, "Something went wrong on our side."));
    CHECK_FALSE(has(unknown.plain, "secrets"));
}

TEST_CASE("A title cannot become HTML", "[jobs][export_letter]") {
    export_facts hostile = facts();
    hostile.title = "<img src=\"x\"> & co";
    CHECK_FALSE(has(finished_letter(hostile, done()).html, "<img"));
    CHECK(has(failed_letter(hostile, "").html, "&lt;img src=&quot;x&quot;&gt; &amp; co"));
}

TEST_CASE("A period is named by its first and last day", "[jobs][export_letter]") {
    CHECK(period_text("2025-01-01", "2026-01-01") == "1 January 2025 to 31 December 2025");
    CHECK(period_text("2024-02-28", "2024-03-01") == "28 February 2024 to 29 February 2024");
    CHECK(period_text("2025-09-30", "2025-10-01") == "30 September 2025");
    CHECK(period_text("2025-09-01T00:00:00Z", "2025-10-01") ==
          "2025-09-01T00:00:00Z up to 2025-10-01");
    CHECK(period_text("2025-02-30", "2025-10-01") == "2025-02-30 up to 2025-10-01");
}

TEST_CASE("Counts and sizes are for people", "[jobs][export_letter]") {
    CHECK(count_text(0) == "0");
    CHECK(count_text(999) == "999");
    CHECK(count_text(1'000) == "1,000");
    CHECK(count_text(12'345'678'901) == "12,345,678,901");
    CHECK(bytes_text(0) == "0 bytes");
    CHECK(bytes_text(999) == "999 bytes");
    CHECK(bytes_text(1'000) == "1.0 kB");
    CHECK(bytes_text(999'949) == "999.9 kB");
    CHECK(bytes_text(999'950) == "1.0 MB");
    CHECK(bytes_text(16'001'308) == "16.0 MB");
    CHECK(bytes_text(5'000'000'000'000'000) == "5000.0 TB");
}
