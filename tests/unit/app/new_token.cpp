#include <exportd/app/command_line.hpp>

#include <catch.hpp>
#include <vector>

using namespace exportd::app;

namespace {

command parse(std::vector<const char*> words) {
    words.insert(words.begin(), "exportd");
    return parse_command_line(static_cast<int>(words.size()), words.data(), {}, {});
}

}  // namespace

TEST_CASE("token takes a name and what the token may do", "[app][command_line]") {
    const auto plain = parse({"token", "nightly"});
    CHECK(plain.what == command::action::token);
    CHECK(plain.made.name == "nightly");
    CHECK(plain.made.exports == "*");
    CHECK(plain.made.expires == "365d");
    CHECK_FALSE(plain.made.raw);
    const auto all = parse({"token", "nightly", "--exports", "orders,refunds", "--raw", "--expires",
                            "90d", "--max-range", "92d"});
    CHECK(all.made.exports == "orders,refunds");
    CHECK(all.made.raw);
    CHECK(all.made.expires == "90d");
    CHECK(all.made.max_range == "92d");
    CHECK(parse({"token"}).exit_code == 2);
}

TEST_CASE("a token with a name, exports or days that can't be used is not made", "[app]") {
    CHECK(make_new_token({"a b"}) == 2);
    CHECK(make_new_token({"a", "or\"ders"}) == 2);
    CHECK(make_new_token({"a", "*", false, "soon"}) == 2);
    CHECK(make_new_token({"a", "*", false, "", "1h"}) == 2);
}
