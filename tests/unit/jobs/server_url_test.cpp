#include <exportd/jobs/server_url.hpp>

#include "../catch.hpp"

using exportd::jobs::parse_server_url;

TEST_CASE("A server's URL is its scheme, host and port", "[jobs][server_url]") {
    const auto named = parse_server_url("HTTPS://S3.Example.com:8443/");
    REQUIRE(named);
    CHECK(named->scheme == "https");
    CHECK(named->host == "s3.example.com");
    CHECK(named->port == 8443);
    CHECK_FALSE(named->loopback);
    CHECK(named->text() == "https://s3.example.com:8443");

    const auto plain = parse_server_url("smtp://mail.example.com");
    REQUIRE(plain);
    CHECK(plain->port == 0);
    CHECK(plain->text() == "smtp://mail.example.com");
}

TEST_CASE("Loopback is told by the address, not by how a name begins", "[jobs][server_url]") {
    for (const char* text : {"http://127.0.0.1", "http://127.9.9.9:80", "http://[::1]:9000",
                             "http://localhost:9000", "http://LOCALHOST"}) {
        INFO(text);
        REQUIRE(parse_server_url(text));
        CHECK(parse_server_url(text)->loopback);
    }
    for (const char* text : {"http://127-0-0-1.example.com", "http://localhost.example.com",
                             "http://10.0.0.1", "http://[::2]", "http://0.0.0.0"}) {
        INFO(text);
        REQUIRE(parse_server_url(text));
        CHECK_FALSE(parse_server_url(text)->loopback);
    }
    CHECK(parse_server_url("http://[::1]:9000")->text() == "http://[::1]:9000");
}

TEST_CASE("A URL with more or less than that is none", "[jobs][server_url]") {
    for (const char* text :
         {"", "example.com", "//example.com", "http://", "http:///x", "http://user@example.com",
          "http://user:pw@example.com", "http://example.com/path", "http://example.com?x=1",
          "http://example.com#x", "http://example.com:99999", "http://example.com:0",
          "http://exa mple.com", "http://a%2fb", "http://example.com\r\nx"}) {
        INFO(text);
        CHECK_FALSE(parse_server_url(text));
    }
}
