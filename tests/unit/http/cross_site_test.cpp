#include <exportd/http/cross_site.hpp>

#include "catch.hpp"

using namespace exportd::http;

namespace {

using fields = std::vector<std::pair<std::string, std::string>>;

request make(const std::string& method, fields given) {
    request r;
    r.method = method;
    r.fields = std::move(given);
    r.fields.emplace_back("Host", "exports.test");
    return r;
}

bool foreign(const std::string& method, fields given) {
    return is_foreign(make(method, std::move(given)), "https://public.test");
}

}  // namespace

TEST_CASE("a program's request is nobody's page's", "[http]") {
    CHECK_FALSE(foreign("GET", {}));
    CHECK_FALSE(foreign("POST", {}));
}

TEST_CASE("a browser's word about the site counts for reading and changing", "[http]") {
    for (const auto* site : {"same-origin", "none"}) {
        CHECK_FALSE(foreign("GET", {{"sec-fetch-site", site}}));
        CHECK_FALSE(foreign("DELETE", {{"Sec-Fetch-Site", site}, {"Origin", "null"}}));
    }
    for (const auto* site : {"cross-site", "same-site", "", "anything"}) {
        CHECK(foreign("GET", {{"Sec-Fetch-Site", site}, {"Sec-Fetch-Mode", "no-cors"}}));
        CHECK(foreign("POST", {{"Sec-Fetch-Site", site}, {"Sec-Fetch-Mode", "navigate"}}));
        CHECK_FALSE(foreign("GET", {{"Sec-Fetch-Site", site}, {"Sec-Fetch-Mode", "navigate"}}));
    }
    CHECK(foreign("GET", {{"Sec-Fetch-Site", "none"}, {"Sec-Fetch-Site", "none"}}));
}

TEST_CASE("an older browser's Origin counts for changing", "[http]") {
    for (const auto* own : {"http://exports.test", "https://EXPORTS.test", "https://public.test"})
        CHECK_FALSE(foreign("POST", {{"Origin", own}}));
    for (const auto* other : {"https://evil.test", "null", "", "https://exports.test:8443",
                              "https://exports.test.evil.test", "exports.test"}) {
        CHECK(foreign("POST", {{"Origin", other}}));
        CHECK_FALSE(foreign("GET", {{"Origin", other}}));
    }
}

TEST_CASE("a cookie is the only one of its name", "[http]") {
    const auto r = make("GET", {{"Cookie", "a=1; b=x=y;c=; a2=2"}, {"cookie", "d=4;e=5"}});
    CHECK(find_cookie(r, "a") == "1");
    CHECK(find_cookie(r, "b") == "x=y");
    CHECK(find_cookie(r, "c").empty());
    CHECK(find_cookie(r, "e") == "5");
    CHECK(find_cookie(r, "f").empty());
    CHECK(find_cookie(make("GET", {{"Cookie", "a=1; a=2"}}), "a").empty());
    CHECK(find_cookie(make("GET", {{"Cookie", "a=1"}, {"Cookie", "a=1"}}), "a").empty());
}
