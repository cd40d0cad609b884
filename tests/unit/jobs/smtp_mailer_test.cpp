#include <exportd/jobs/smtp_mailer.hpp>

#include "../catch.hpp"
#include <cstdlib>
#include <string>

using namespace exportd::jobs;
using namespace std::chrono_literals;

namespace {

std::string variable(const char* name, const std::string& otherwise = "") {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : value;
}

smtp_settings settings_for(const std::string& url) {
    smtp_settings s;
    s.url = url;
    s.from = {"Order exports", "exports@example.com"};
    s.tls = mail_tls::none;
    s.timeout = 2s;
    return s;
}

letter some_letter() {
    letter l;
    l.to = "ada@example.com";
    l.subject = "Your export is ready";
    l.plain = "Hello\n";
    l.html = "<p>Hello</p>\n";
    l.message_id = "job-1";
    return l;
}

const char* name_of(delivery what) {
    switch (what) {
        case delivery::sent:
            return "sent";
        case delivery::temporary:
            return "temporary";
        default:
            return "refused";
    }
}

}  // namespace

TEST_CASE("A letter that is none is refused before a connection is made", "[jobs][smtp_mailer]") {
    smtp_mailer mailer{settings_for("smtp://127.0.0.1:1")};
    const auto refused = [&](auto change) {
        letter l = some_letter();
        change(l);
        const auto result = mailer.send(l, {});
        CHECK(result.reply == 0);
        CHECK(result.what == delivery::refused);
    };
    refused([](letter& l) { l.to = "ada@example.com>\r\nRCPT TO:<eve@example.com"; });
    refused([](letter& l) { l.subject = "a\r\nBcc: eve@example.com"; });
    refused([](letter& l) { l.subject = ""; });
    refused([](letter& l) { l.message_id = "a@b>\r\nBcc: eve@example.com"; });
    refused([](letter& l) { l.message_id = ""; });
}

TEST_CASE("Without a server the letter is worth another try", "[jobs][smtp_mailer]") {
    const auto result = smtp_mailer{settings_for("smtp://127.0.0.1:1")}.send(some_letter(), {});
    CHECK(result.what == delivery::temporary);
    CHECK(result.reply == 0);
    CHECK(result.cause == "no connection");
}

TEST_CASE("Settings of a mailer are checked", "[jobs][smtp_mailer]") {
    for (const char* url : {"", "http://host", "smtp://user@host", "smtp://host/path"})
        CHECK_THROWS_AS(smtp_mailer{settings_for(url)}, std::invalid_argument);
    auto settings = settings_for("smtp://host");
    settings.from.address = "nobody";
    CHECK_THROWS_AS(smtp_mailer{settings}, std::invalid_argument);
    settings = settings_for("smtp://host");
    settings.username = "ada";
    CHECK_THROWS_AS(smtp_mailer{settings}, std::invalid_argument);
}

// Sends one letter to the server that EXPORTD_TEST_SMTP_URL names; tests/e2e/test_mailer.py starts
// it, says how the delivery has to end, and looks at the letter.
TEST_CASE("One letter ends as EXPORTD_TEST_SMTP_EXPECTED says", "[.][smtp]") {
    auto settings = settings_for(variable("EXPORTD_TEST_SMTP_URL"));
    settings.username = variable("EXPORTD_TEST_SMTP_USERNAME");
    settings.password = variable("EXPORTD_TEST_SMTP_PASSWORD");
    settings.ca_file = variable("EXPORTD_TEST_SMTP_CA_FILE");
    const std::string tls = variable("EXPORTD_TEST_SMTP_TLS", "none");
    if (tls == "required") settings.tls = mail_tls::required;
    if (tls == "if_offered") settings.tls = mail_tls::if_offered;

    letter l = some_letter();
    l.to = variable("EXPORTD_TEST_SMTP_TO", l.to);
    l.subject = "Your export is ready: Z\xC3\xBCrich \xE2\x82\xAC 1,000";
    l.plain =
        "Gr\xC3\xBC\xC3\x9F Gott\n.\n..two dots\nFrom here on\n" + std::string(2000, 'x') + "\n";
    l.html = "<p>\xE6\xA0\xAA</p>\n";

    const auto begin = std::chrono::steady_clock::now();
    const auto result = smtp_mailer{settings}.send(l, {});
    CHECK(std::chrono::steady_clock::now() - begin < 5s);
    CHECK(name_of(result.what) == variable("EXPORTD_TEST_SMTP_EXPECTED"));
    CHECK(std::to_string(result.reply) == variable("EXPORTD_TEST_SMTP_REPLY"));
    CHECK(result.cause == variable("EXPORTD_TEST_SMTP_CAUSE"));
}

TEST_CASE("A stop ends the wait for a mail server", "[.][smtp-silence]") {
    auto settings = settings_for(variable("EXPORTD_TEST_SMTP_URL"));
    settings.timeout = 600s;
    std::stop_source source;
    source.request_stop();
    const auto result = smtp_mailer{settings}.send(some_letter(), source.get_token());
    CHECK(result.what == delivery::temporary);
    CHECK(result.cause == "asked to stop");
}
