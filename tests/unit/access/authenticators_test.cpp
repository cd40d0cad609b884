#include <exportd/access/authorization.hpp>
#include <exportd/access/proxy_authenticator.hpp>
#include <exportd/access/token_authenticator.hpp>

#include "access_file.hpp"
#include "catch.hpp"
#include <memory>
#include <vector>

using namespace exportd::access;
using kind = verdict::kind;

namespace {

using fields = std::vector<std::pair<std::string, std::string>>;

struct tokens_fixture {
    policy_store policies{std::make_shared<const policy>(
        policy_of(token_entry_text("nightly", "xpd_secret", "exports = [\"*\"]")))};
    token_authenticator who{policies};

    verdict look(const fields& given) { return who.look_at({given, false}); }
    kind look(const std::string& authorization) {
        return look(fields{{"Authorization", authorization}}).what;
    }
};

}  // namespace

TEST_CASE_METHOD(tokens_fixture, "a token comes as Bearer or as the password of Basic",
                 "[access]") {
    const auto bearer = look(fields{{"authorization", "Bearer xpd_secret"}});
    REQUIRE(bearer.what == kind::known);
    CHECK(bearer.who->identity() == "token:nightly");
    CHECK(look("bearer   xpd_secret") == kind::known);
    CHECK(look("Basic eDp4cGRfc2VjcmV0") == kind::known);  // x:xpd_secret
    CHECK(look("basic OnhwZF9zZWNyZXQ=") == kind::known);  // :xpd_secret
    CHECK(look(fields{}).what == kind::absent);
    CHECK(look(fields{{"X-Authorization", "Bearer xpd_secret"}}).what == kind::absent);
}

TEST_CASE_METHOD(tokens_fixture, "anything else in Authorization is wrong", "[access]") {
    const std::string wrong[] = {
        "",
        "Bearer",
        "Bearer ",
        "Bearer xpd_secret2",
        "Bearer xpd_secret xpd_secret",
        "Bearer xpd_secret,",
        "Bearerxpd_secret",
        "Basic",
        "Basic ",
        "Basic eDp4cGRfc2VjcmV0Cg==",  // with a line feed
        "Basic eHhwZF9zZWNyZXQ=",      // without a colon
        "Basic eDp4cGRfc2VjcmV",       // cut
        "Basic ????",
        "Digest xpd_secret",
        std::string(100'000, 'A'),
    };
    for (const auto& value : wrong) {
        INFO(value.substr(0, 40));
        CHECK(look(value) == kind::wrong);
    }
    CHECK(
        look(fields{{"Authorization", "Bearer xpd_secret"}, {"Authorization", "Bearer xpd_secret"}})
            .what == kind::wrong);
}

TEST_CASE("a proxy's fields are believed from a trusted proxy only", "[access]") {
    proxy_authenticator who{{"X-Forwarded-User", "X-Forwarded-Groups", "X-Forwarded-Email"}};
    const fields given{{"x-forwarded-user", "anna"},
                       {"X-Forwarded-Groups", "staff, finance ,,"},
                       {"X-Forwarded-Email", "anna@example.org"}};
    const auto trusted = who.look_at({given, true});
    REQUIRE(trusted.what == kind::known);
    CHECK(trusted.who->identity() == "user:anna");
    CHECK(trusted.who->groups == std::vector<std::string>{"staff", "finance"});
    CHECK(trusted.who->mail == "anna@example.org");
    CHECK(who.look_at({given, false}).what == kind::absent);
    CHECK(who.look_at({fields{}, true}).what == kind::absent);
}

TEST_CASE("a field that the client may have added to the proxy's is wrong", "[access]") {
    proxy_authenticator who{{"X-Forwarded-User", "X-Forwarded-Groups", "X-Forwarded-Email"}};
    const fields users{{"X-Forwarded-User", "anna"}, {"X-Forwarded-User", "root"}};
    const fields groups{{"X-Forwarded-User", "anna"},
                        {"X-Forwarded-Groups", "staff"},
                        {"X-Forwarded-Groups", "finance"}};
    const fields control{{"X-Forwarded-User", std::string{"an\x01na"}}};
    const fields lengthy{{"X-Forwarded-User", std::string(300, 'a')}};
    for (const auto& given : {users, groups, control, lengthy})
        CHECK(who.look_at({given, true}).what == kind::wrong);
}
