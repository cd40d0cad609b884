#include <exportd/pg/transport.hpp>

#include "catch.hpp"

using exportd::pg::is_exposed;

TEST_CASE("what stays on the machine needs no TLS", "[pg]") {
    for (const auto* url : {"", "postgresql:///", "postgresql:///orders?host=/run/postgresql",
                            "postgresql://user@127.0.0.1:5432/orders", "postgresql://[::1]/orders",
                            "postgresql://localhost/orders", "host=127.8.8.8 dbname=orders"})
        CHECK_FALSE(is_exposed(url));
}

TEST_CASE("another machine needs a certificate that is checked", "[pg]") {
    CHECK(is_exposed("postgresql://db.example/orders"));
    CHECK(is_exposed("postgresql://db.example/orders?sslmode=require"));
    CHECK(is_exposed("postgresql://db.example/orders?sslmode=verify-ca"));
    CHECK_FALSE(is_exposed("postgresql://db.example/orders?sslmode=verify-full"));
    CHECK(is_exposed("host=10.0.0.7 dbname=orders"));
}

TEST_CASE("a word that looks local does not make it so", "[pg]") {
    CHECK(is_exposed("postgresql://localhost:127.0.0.1@db.example/localhost"));
    CHECK(is_exposed("postgresql://localhost.example/orders"));
    CHECK(is_exposed("postgresql://db.example/orders?application_name=sslmode%3Dverify-full"));
    CHECK(is_exposed("postgresql://localhost,db.example/orders"));
}

TEST_CASE("with what can't be parsed nothing connects", "[pg]") {
    CHECK_FALSE(is_exposed("postgresql://db.example:port:port/"));
    CHECK_FALSE(is_exposed("no = such = string"));
}
