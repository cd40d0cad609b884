#include <exportd/jobs/mailer.hpp>

#include "../catch.hpp"

using namespace exportd::jobs;

TEST_CASE("An address is one local part and one domain", "[jobs][mail_address]") {
    for (const std::string text :
         {"ada@example.com", "ada.lovelace+exports@mail.example.co.uk", "o'brien@example.com",
          "a@b.cd", "{x}|~!#$%&*/=?^_`-@example.com", "ada@xn--bcher-kva.example",
          "ada@9.example.com"}) {
        INFO(text);
        CHECK(is_mail_address(text));
    }
    CHECK(is_mail_address(std::string(64, 'a') + "@example.com"));
    CHECK(is_mail_address("ada@" + std::string(63, 'b') + ".com"));
}

TEST_CASE("What could end a header line or a command, or hold two addresses, is none",
          "[jobs][mail_address]") {
    for (const std::string text : {"",
                                   "ada",
                                   "@example.com",
                                   "ada@",
                                   "ada@example",
                                   "ada@localhost",
                                   "ada@@example.com",
                                   "a@b@example.com",
                                   ".ada@example.com",
                                   "ada.@example.com",
                                   "a..b@example.com",
                                   "ada@.example.com",
                                   "ada@example..com",
                                   "ada@example.com.",
                                   "ada@-example.com",
                                   "ada@example-.com",
                                   "ada@exa_mple.com",
                                   "ada@[127.0.0.1]",
                                   "ada@127.0.0.1",
                                   "\"ada\"@example.com",
                                   "ada lovelace@example.com",
                                   " ada@example.com",
                                   "ada@example.com ",
                                   "ada@example.com\n",
                                   "ada@example.com\r\nBcc: eve@example.com",
                                   "ada\r\n@example.com",
                                   "ada@example.com>",
                                   "<ada@example.com>",
                                   "ada@example.com,eve@example.com",
                                   "ada@example.com;eve@example.com",
                                   "ada@ex\xC3\xA4mple.com",
                                   "\xC3\xA4"
                                   "da@example.com",
                                   "ada@example.com\t",
                                   "a(b)@example.com",
                                   "a:b@example.com"}) {
        INFO(text);
        CHECK_FALSE(is_mail_address(text));
    }
    CHECK_FALSE(is_mail_address(std::string("a\0b@example.com", 15)));
    CHECK_FALSE(is_mail_address(std::string(65, 'a') + "@example.com"));
    CHECK_FALSE(is_mail_address("ada@" + std::string(64, 'b') + ".com"));
    std::string long_domain = "a@b";
    while (long_domain.size() < 251)
        long_domain += ".c";
    CHECK_FALSE(is_mail_address(long_domain + ".com"));
}

TEST_CASE("Letters go to the domains that are listed and to no other", "[jobs][mail_address]") {
    CHECK(is_allowed("ada@example.com", "example.com"));
    CHECK(is_allowed("ada@EXAMPLE.com", "other.org, Example.COM ,third.net"));
    CHECK(is_allowed("ada@anything.example", "*"));
    CHECK_FALSE(is_allowed("ada@example.com", ""));
    CHECK_FALSE(is_allowed("ada@mail.example.com", "example.com"));
    CHECK_FALSE(is_allowed("ada@notexample.com", "example.com"));
    CHECK_FALSE(is_allowed("ada@example.com.evil.org", "example.com"));
    CHECK_FALSE(is_allowed("ada@example.co", "example.com"));
    CHECK_FALSE(is_allowed("not an address", "*"));
    CHECK_FALSE(is_allowed("ada@example.com\r\nRCPT TO:<eve@example.com>", "*"));
}

TEST_CASE("A list of domains has domains and commas in it", "[jobs][mail_address]") {
    CHECK(are_mail_domains(""));
    CHECK(are_mail_domains("example.com"));
    CHECK(are_mail_domains("example.com, example.org"));
    CHECK(are_mail_domains("*"));
    CHECK_FALSE(are_mail_domains(","));
    CHECK_FALSE(are_mail_domains("example.com,"));
    CHECK_FALSE(are_mail_domains("example.com example.org"));
    CHECK_FALSE(are_mail_domains("*.example.com"));
    CHECK_FALSE(are_mail_domains("@example.com"));
}

TEST_CASE("A sender has an address and perhaps a name", "[jobs][mail_address]") {
    const auto bare = parse_mailbox("exports@example.com");
    REQUIRE(bare);
    CHECK(bare->name == "");
    CHECK(bare->address == "exports@example.com");

    const auto named = parse_mailbox("Order exports, Z\xC3\xBCrich <exports@example.com>");
    REQUIRE(named);
    CHECK(named->name == "Order exports, Z\xC3\xBCrich");
    CHECK(named->address == "exports@example.com");

    for (const char* text : {"", "Name", "Name <>", "Name <a@b.cd> x", "Na\"me <a@b.cd>",
                             "Na\r\nme <a@b.cd>", "a@b.cd>", "<<a@b.cd>>", "a@b.cd, c@d.ef"}) {
        INFO(text);
        CHECK_FALSE(parse_mailbox(text));
    }
}
