#include "../../../src/jobs/mime.hpp"

#include "../catch.hpp"

using namespace exportd::jobs;

namespace {

constexpr std::chrono::sys_seconds noon{std::chrono::seconds{1'764'590'400}};  // 2025-12-01T12:00Z

letter some_letter() {
    letter l;
    l.to = "ada@example.com";
    l.subject = "Ready";
    l.plain = "Hello\nAda\n";
    l.html = "<p>Hello</p>\n";
    l.message_id = "job-1";
    return l;
}

}  // namespace

TEST_CASE("A letter is a header and two alternatives in base64", "[jobs][mime]") {
    CHECK(mime_message(some_letter(), {"Order exports", "exports@example.com"}, noon) ==
          "Date: Mon, 01 Dec 2025 12:00:00 +0000\r\n"
          "From: \"Order exports\" <exports@example.com>\r\n"
          "To: ada@example.com\r\n"
          "Subject: Ready\r\n"
          "Message-ID: <job-1@example.com>\r\n"
          "Auto-Submitted: auto-generated\r\n"
          "X-Auto-Response-Suppress: All\r\n"
          "MIME-Version: 1.0\r\n"
          "Content-Type: multipart/alternative; boundary=\"exportd-alternative\"\r\n"
          "\r\n"
          "--exportd-alternative\r\n"
          "Content-Type: text/plain; charset=utf-8\r\n"
          "Content-Transfer-Encoding: base64\r\n"
          "\r\n"
          "SGVsbG8NCkFkYQ0K\r\n"
          "--exportd-alternative\r\n"
          "Content-Type: text/html; charset=utf-8\r\n"
          "Content-Transfer-Encoding: base64\r\n"
          "\r\n"
          "PHA+SGVsbG88L3A+DQo=\r\n"
          "--exportd-alternative--\r\n");
}

TEST_CASE("Headers hold encoded words, and no text can end one", "[jobs][mime]") {
    CHECK(header_text("Your export is ready: Orders") == "Your export is ready: Orders");
    CHECK(header_text("Z\xC3\xBCrich") == "=?utf-8?B?WsO8cmljaA==?=");
    CHECK(header_text("a =?utf-8?B?x?=") == "=?utf-8?B?YSA9P3V0Zi04P0I/eD89?=");
    CHECK(header_text("a\r\nBcc: eve@example.com").find('\n') == std::string::npos);

    // 44 letters and then characters of two bytes: none is cut in half.
    std::string text(44, 'a');
    for (int n = 0; n < 30; ++n)
        text += "\xC3\xBC";
    const std::string encoded = header_text(text);
    std::string first;
    for (int n = 0; n < 14; ++n)
        first += "YWFh";
    CHECK(encoded.starts_with("=?utf-8?B?" + first + "YWE=?=\r\n =?utf-8?B?w7zD"));
    std::size_t at = 0;
    while (at < encoded.size()) {
        const std::size_t end = std::min(encoded.find("\r\n", at), encoded.size());
        CHECK(end - at <= 76);
        at = end + 2;
    }
}

TEST_CASE("A name of a sender that is not ASCII is encoded, an address alone stands bare",
          "[jobs][mime]") {
    CHECK(mime_message(some_letter(), {"", "exports@example.com"}, noon)
              .find("\r\nFrom: exports@example.com\r\n") != std::string::npos);
    CHECK(mime_message(some_letter(), {"Z\xC3\xBCrich", "exports@example.com"}, noon)
              .find("\r\nFrom: =?utf-8?B?WsO8cmljaA==?=\r\n <exports@example.com>\r\n") !=
          std::string::npos);
}

TEST_CASE("No line of a letter is longer than 78 characters, whatever its text", "[jobs][mime]") {
    letter l = some_letter();
    l.plain = std::string(5000, 'x');
    l.html = "--exportd-alternative--\r\n" + std::string(5000, '.');
    l.subject = std::string(500, 'y');
    const std::string text = mime_message(l, {"", "exports@example.com"}, noon);
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = text.find("\r\n", at);
        REQUIRE(end != std::string::npos);
        CHECK(end - at <= 85);
        at = end + 2;
    }
    const std::string closing = "\r\n--exportd-alternative--\r\n";
    CHECK(text.find(closing) == text.size() - closing.size());
}

TEST_CASE("Days of the week and leap days are right", "[jobs][mime]") {
    using namespace std::chrono;
    CHECK(mail_date(sys_days{2024y / 2 / 29} + 23h + 59min + 59s) ==
          "Thu, 29 Feb 2024 23:59:59 +0000");
    CHECK(mail_date(sys_days{2026y / 1 / 4}) == "Sun, 04 Jan 2026 00:00:00 +0000");
}
