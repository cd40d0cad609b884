#include <exportd/pg/conninfo.hpp>
#include <exportd/pg/server_error.hpp>
#include <exportd/pg/transaction.hpp>

#include "catch.hpp"
#include <algorithm>

using exportd::pg::conninfo;
using exportd::pg::server_address;

namespace {

std::string value_of(const conninfo& info, std::string keyword) {
    const auto all = info.parameters(info.servers().front(), info.passes().front());
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.first == keyword; });
    return at == all.end() ? "" : at->second;
}

}  // namespace

TEST_CASE("every host has its own port, or all have the only one") {
    const conninfo two{"postgresql://u@a:1,b:2/db"};
    REQUIRE(two.servers().size() == 2);
    CHECK(two.servers()[0].host == "a");
    CHECK(two.servers()[1].host == "b");
    CHECK(two.servers()[1].port == "2");
    const conninfo one{"host=a,b port=7"};
    CHECK(one.servers()[0].port == "7");
    CHECK(one.servers()[1].port == "7");
    CHECK_THROWS_AS(conninfo{"host=a,b port=1,2,3"}, exportd::pg::server_error);
    CHECK_THROWS_AS(conninfo{"nonsense=1"}, exportd::pg::server_error);
}

TEST_CASE("dead peers are noticed by default and the string's own values win") {
    const conninfo plain{"host=127.0.0.1"};
    CHECK(value_of(plain, "keepalives_idle") == "30");
    CHECK(value_of(plain, "tcp_user_timeout") == "30000");
    CHECK(value_of(plain, "client_encoding") == "UTF8");
    const conninfo own{
        "host=127.0.0.1 tcp_user_timeout=5 client_encoding=LATIN1 options=-cjit=off"};
    CHECK(value_of(own, "tcp_user_timeout") == "5");
    CHECK(value_of(own, "client_encoding") == "UTF8");
    CHECK(value_of(own, "options").empty());
}

TEST_CASE("only names are resolved") {
    CHECK(server_address{"db.example", "", ""}.needs_resolving());
    CHECK_FALSE(server_address{"db.example", "10.0.0.1", ""}.needs_resolving());
    CHECK_FALSE(server_address{"127.0.0.1", "", ""}.needs_resolving());
    CHECK_FALSE(server_address{"::1", "", ""}.needs_resolving());
    CHECK_FALSE(server_address{"/run/postgresql", "", ""}.needs_resolving());
    CHECK_FALSE(server_address{"", "", ""}.needs_resolving());
}

TEST_CASE("prefer-standby asks all servers for a standby before it takes any") {
    CHECK(conninfo{"host=a target_session_attrs=prefer-standby"}.passes() ==
          std::vector<std::string>{"standby", "any"});
    CHECK(conninfo{"host=a target_session_attrs=read-only"}.passes() ==
          std::vector<std::string>{"read-only"});
}

TEST_CASE("a tag is cut between characters") {
    CHECK(exportd::pg::cut_utf8("abc", 63) == "abc");
    CHECK(exportd::pg::cut_utf8("ab\xC3\xA9", 3) == "ab");
    CHECK(exportd::pg::cut_utf8("ab\xC3\xA9", 4) == "ab\xC3\xA9");
}
