#include <exportd/access/sign_in.hpp>

#include "access_file.hpp"
#include "catch.hpp"
#include <algorithm>

using namespace exportd::access;
using namespace std::chrono;

namespace {

const auto now = sys_days{2026y / 12 / 1} + 12h;

struct sign_in_fixture {
    static std::string entry(const std::string& token, const std::string& more = "") {
        return token_entry_text("anna", token, "exports = [\"*\"]\n" + more);
    }

    policy file = policy_of(entry("xpd_anna"));
    sign_ins all{{std::string(32, 'k'), 30min, 12h, 100}};
    sign_in s = all.begin(*file.find_token_named("anna"), now);
    std::string cookie = all.to_cookie(s);
};

}  // namespace

TEST_CASE_METHOD(sign_in_fixture, "a cookie leads back to its sign-in", "[access]") {
    const auto found = all.find(cookie, file, now + 1s);
    REQUIRE(found);
    CHECK(found->token == "anna");
    CHECK(found->id == s.id);
    CHECK(found->began == now);
    CHECK(std::all_of(cookie.begin(), cookie.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.';
    }));
    sign_ins replica{{std::string(32, 'k'), 30min, 12h, 100}};
    CHECK(replica.find(cookie, file, now));
    sign_ins stranger{{std::string(32, 'x'), 30min, 12h, 100}};
    CHECK_FALSE(stranger.find(cookie, file, now));
    sign_ins own_key{{"", 30min, 12h, 100}};
    CHECK_FALSE(own_key.find(cookie, file, now));
}

TEST_CASE_METHOD(sign_in_fixture, "a changed, cut or lengthened cookie is none", "[access]") {
    for (std::size_t i = 0; i < cookie.size(); ++i) {
        auto changed = cookie;
        changed[i] = changed[i] == '0' ? '1' : '0';
        CHECK_FALSE(all.find(changed, file, now));
        CHECK_FALSE(all.find(cookie.substr(0, i), file, now));
    }
    CHECK_FALSE(all.find(cookie + "0", file, now));
    CHECK_FALSE(all.find(cookie + ".", file, now));
    CHECK_FALSE(all.find("......", file, now));
}

TEST_CASE_METHOD(sign_in_fixture, "a sign-in ends when idle and by age", "[access]") {
    CHECK(all.find(cookie, file, now + 30min - 1s));
    CHECK_FALSE(all.find(cookie, file, now + 30min));
    s.seen = now + 11h + 50min;
    const auto kept = all.to_cookie(s);
    CHECK(all.find(kept, file, now + 12h - 1s));
    CHECK_FALSE(all.find(kept, file, now + 12h));
    s.seen = now;
    CHECK_FALSE(all.due(s, now + 59s));
    CHECK(all.due(s, now + 60s));
}

TEST_CASE_METHOD(sign_in_fixture, "a sign-in ends with its token", "[access]") {
    CHECK_FALSE(all.find(cookie, policy{}, now));
    CHECK_FALSE(all.find(cookie, policy_of(entry("xpd_another")), now));
    const auto expired = policy_of(entry("xpd_anna", "expires = 2026-12-01T12:00:01Z"));
    CHECK(all.find(cookie, expired, now));
    CHECK_FALSE(all.find(cookie, expired, now + 1s));
}

TEST_CASE_METHOD(sign_in_fixture, "who signed out is signed out, others are not", "[access]") {
    const auto other = all.begin(*file.find_token_named("anna"), now);
    all.end(s);
    CHECK_FALSE(all.find(cookie, file, now));
    CHECK(all.find(all.to_cookie(other), file, now));
}

TEST_CASE_METHOD(sign_in_fixture, "what a page shows with a change is bound to the sign-in",
                 "[access]") {
    const auto other = all.begin(*file.find_token_named("anna"), now);
    const auto shown = all.csrf_token(s);
    CHECK(all.is_csrf_token(s, shown));
    CHECK_FALSE(all.is_csrf_token(other, shown));
    CHECK_FALSE(all.is_csrf_token(s, ""));
    CHECK_FALSE(all.is_csrf_token(s, shown.substr(1)));
}
