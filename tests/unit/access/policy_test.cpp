#include <exportd/access/policy.hpp>

#include "access_file.hpp"
#include "catch.hpp"
#include <chrono>
#include <filesystem>

using namespace exportd::access;
using namespace std::chrono;
using exportd::app::test::temporary_directory;

namespace {

const auto now = sys_days{2026y / 12 / 1} + 0s;
constexpr auto raw_orders = "exports = [\"orders\"]\nraw = true\nmax_range = \"92d\"";

principal token(const std::string& name) {
    return {principal::kind::token, name, {}, {}};
}

principal user(std::vector<std::string> groups) {
    return {principal::kind::user, "anna", std::move(groups), {}};
}

std::string fault_of(const std::string& text) {
    try {
        policy_of(text);
    } catch (const std::runtime_error& e) {
        const std::string what = e.what();
        return what.substr(what.find("access.toml") + 11);
    }
    return "none";
}

}  // namespace

TEST_CASE("a token is found by its text and may do what its entry says", "[access]") {
    const auto p = policy_of(token_entry_text("nightly", "xpd_secret", raw_orders));
    REQUIRE(p.find_token("xpd_secret", now) != nullptr);
    CHECK(p.find_token("xpd_secret", now)->name == "nightly");
    CHECK(p.find_token("xpd_secreT", now) == nullptr);
    CHECK(p.find_token("", now) == nullptr);
    const auto may = p.permits(token("nightly"), "orders", now);
    REQUIRE(may);
    CHECK(may->raw);
    CHECK(may->max_range == days{92});
    CHECK_FALSE(p.permits(token("nightly"), "refunds", now));
    CHECK_FALSE(p.permits(token("other"), "orders", now));
    CHECK_FALSE(p.permits(user({"nightly"}), "orders", now));
    CHECK_FALSE(p.permits({}, "orders", now));
}

TEST_CASE("a token ends at its expiry to the second", "[access]") {
    const auto p = policy_of(token_entry_text(
        "nightly", "xpd_secret", "exports = [\"*\"]\nexpires = 2026-12-01T01:00:00+01:00"));
    CHECK(p.find_token("xpd_secret", now - 1s) != nullptr);
    CHECK(p.find_token("xpd_secret", now) == nullptr);
    CHECK(p.permits(token("nightly"), "orders", now - 1s));
    CHECK_FALSE(p.permits(token("nightly"), "orders", now));
}

TEST_CASE("of a user's groups the most generous counts", "[access]") {
    const auto p = policy_of(R"(
[[groups]]
name = "staff"
exports = ["orders"]
max_range = "31d"
[[groups]]
name = "finance"
exports = ["*"]
raw = true
max_range = "366d"
[[groups]]
name = "*"
exports = ["refunds"]
)");
    const auto staff = p.permits(user({"staff"}), "orders", now);
    REQUIRE(staff);
    CHECK_FALSE(staff->raw);
    CHECK(staff->max_range == days{31});
    const auto both = p.permits(user({"staff", "finance"}), "orders", now);
    REQUIRE(both);
    CHECK(both->raw);
    CHECK(both->max_range == days{366});
    CHECK_FALSE(p.permits(user({}), "orders", now));
    CHECK_FALSE(p.permits(user({"Finance"}), "orders", now));
    const auto everybody = p.permits(user({}), "refunds", now);
    REQUIRE(everybody);
    CHECK_FALSE(everybody->max_range);
    // A group of that name from elsewhere is not the file's "*".
    CHECK_FALSE(p.permits(user({"*"}), "orders", now));
}

TEST_CASE("without authentication anybody may do everything, and with it nobody unnamed",
          "[access]") {
    const auto open = policy::open().permits({}, "orders", now);
    REQUIRE(open);
    CHECK(open->raw);
    CHECK_FALSE(policy{}.permits({}, "orders", now));
}

TEST_CASE("each fault of an access file is told with its line and without its values", "[access]") {
    const auto pasted = std::string{
        "[[tokens]]\nname = \"a\"\nexports = [\"*\"]\n"
        "sha256 = \"xpd_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG\""};
    CHECK(fault_of(pasted) ==
          ":1: sha256: expected 64 hex digits; `exportd token NAME` makes a token");
    CHECK(fault_of(token_entry_text("a", "x", "exports = [\"order\"]")) ==
          ":4: exports: there is no such export");
    CHECK(fault_of(token_entry_text("a b", "x", "exports = [\"*\"]")) ==
          ":1: name: expected 1 to 64 letters, digits, dots, hyphens, underscores and @");
    CHECK(fault_of(token_entry_text("a", "x", "exports = [\"*\"]\nmax_range = \"3 months\"")) ==
          ":5: max_range: expected days, such as \"92d\"");
    CHECK(fault_of(token_entry_text("a", "x", "exports = [\"*\"]\nexpires = \"2027\"")) ==
          ":5: expires: expected a date-time such as 2027-01-01T00:00:00Z, without quotes");
    CHECK(fault_of(token_entry_text("a", "x", "exports = [\"*\"]\nexpires = 2027-01-01")) ==
          ":5: expires: expected a date-time such as 2027-01-01T00:00:00Z, without quotes");
    for (const auto* far : {"4053-01-01T00:00:00Z", "1677-01-01T00:00:00Z"})
        CHECK(fault_of(
                  token_entry_text("a", "x", std::string{"exports = [\"*\"]\nexpires = "} + far)) ==
              ":5: expires: expected a year from 1970 to 2200");
    CHECK(fault_of(token_entry_text("a", "x", "exports = [\"*\"]\ncolour = 1")) ==
          ":5: colour: no such key");
    CHECK(fault_of(token_entry_text("a", "x", "")) ==
          ":1: exports: expected a list of names, or [\"*\"]");
    CHECK(fault_of("tokens = 1") == ":1: expected [[tokens]]");
    CHECK(fault_of("[users]\n") == ":1: unknown key; expected [[tokens]] and [[groups]]");
    CHECK(fault_of("x = = xpd_secret") == ":1: this is not TOML");
    const auto twice = token_entry_text("a", "x", "exports = [\"*\"]") +
                       token_entry_text("a", "x", "exports = [\"*\"]");
    CHECK(fault_of(twice).find("name: another token has it") != std::string::npos);
    CHECK(fault_of(twice).find("sha256: another token has it") != std::string::npos);
}

TEST_CASE("an access file that everybody may write is refused", "[access]") {
    temporary_directory directory;
    const auto file = directory.write("access.toml", "");
    std::filesystem::permissions(file, std::filesystem::perms::others_write,
                                 std::filesystem::perm_options::add);
    CHECK_THROWS_AS(policy::read(file, known_exports), std::runtime_error);
    CHECK_THROWS_AS(policy::read("/nowhere/access.toml", known_exports), std::runtime_error);
}

TEST_CASE("new tokens are long, differ and are known by their digest", "[access]") {
    const auto a = make_token();
    const auto b = make_token();
    CHECK(a.size() == 47);
    CHECK(a.starts_with("xpd_"));
    CHECK(a != b);
    CHECK(parse_digest(digest_text(a)) == digest_of_token(a));
    CHECK(digest_text("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK_FALSE(parse_digest("ba7816"));
}

TEST_CASE("an identity names its kind, and leads back to whom it was", "[access]") {
    CHECK(token("nightly").identity() == "token:nightly");
    CHECK(user({"a"}).identity() == "user:anna");
    CHECK(principal{}.identity().empty());
    const auto back = principal::of("user:token:x", {"a"});
    CHECK(back.what == principal::kind::user);
    CHECK(back.name == "token:x");
    CHECK(back.groups == std::vector<std::string>{"a"});
    CHECK(principal::of("token:nightly", {"a"}).groups.empty());
    CHECK(principal::of("", {}).what == principal::kind::anybody);
}
