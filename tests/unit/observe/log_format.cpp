#include <exportd/observe/log_format.hpp>

#include <catch.hpp>
#include <limits>

using namespace exportd::observe;
using namespace std::string_literals;

namespace {

constexpr std::chrono::system_clock::time_point moment{std::chrono::milliseconds{1796067348123}};

std::string json(const event& e) {
    return format_event(e, moment, log_format::json);
}

std::string text(const event& e) {
    return format_event(e, moment, log_format::text);
}

// The JSON of a string value alone.
std::string quoted(const std::string& value) {
    const std::string line = json(event{level::info, "e"}.with("v", value));
    const std::string before =
        R"({"time":"2026-11-30T19:35:48.123Z","level":"info","event":"e","v":)";
    REQUIRE(line.starts_with(before));
    return line.substr(before.size(), line.size() - before.size() - 1);
}

}  // namespace

TEST_CASE("An event is one line of JSON", "[observe][log_format]") {
    CHECK(json(event{level::info, "export_finished"}
                   .with("export", "orders")
                   .with("rows", std::uint64_t{200'000})
                   .with("seconds", 1.5)
                   .with("complete", true)) ==
          R"({"time":"2026-11-30T19:35:48.123Z","level":"info","event":"export_finished",)"
          R"("export":"orders","rows":200000,"seconds":1.5,"complete":true})");
    CHECK(json(event{level::error, "x"}) ==
          R"({"time":"2026-11-30T19:35:48.123Z","level":"error","event":"x"})");
}

TEST_CASE("An event is one line for people", "[observe][log_format]") {
    CHECK(text(event{level::warning, "export_failed"}
                   .with("export", "orders")
                   .with("rows", -1)
                   .with("complete", false)
                   .with("reason", "the query failed")
                   .with("empty", "")) ==
          "2026-11-30T19:35:48.123Z warning export_failed export=orders rows=-1 complete=false "
          "reason=\"the query failed\" empty=\"\"");
    CHECK(text(event{level::info, "e"}.with("v", "a\nb")).ends_with("v=\"a\\nb\""));
}

TEST_CASE("No text can break out of its string", "[observe][log_format]") {
    CHECK(quoted("a\"b") == R"("a\"b")");
    CHECK(quoted("C:\\temp") == R"("C:\\temp")");
    CHECK(quoted("a\nb\rc\td") == R"("a\nb\rc\td")");
    CHECK(quoted("\0\x01\x1b\x1f\x7f"s) == R"("\u0000\u0001\u001b\u001f\u007f")");
    CHECK(quoted("") == R"("")");
}

TEST_CASE("UTF-8 stays, anything else is replaced", "[observe][log_format]") {
    CHECK(quoted("£ é 日本 😀") == "\"£ é 日本 😀\"");
    CHECK(quoted("a\xFF"
                 "b") == "\"a\uFFFDb\"");
    CHECK(quoted("\xC3") == "\"\uFFFD\"");
    CHECK(quoted("\xE2\x82") == "\"\uFFFD\uFFFD\"");
    CHECK(quoted("\xC0\xAF") == "\"\uFFFD\uFFFD\"");                      // overlong
    CHECK(quoted("\xED\xA0\x80") == "\"\uFFFD\uFFFD\uFFFD\"");            // surrogate
    CHECK(quoted("\xF4\x90\x80\x80") == "\"\uFFFD\uFFFD\uFFFD\uFFFD\"");  // over U+10FFFF
    CHECK(quoted("\xC3\"") == "\"\uFFFD\\\"\"");
}

TEST_CASE("Numbers stay JSON", "[observe][log_format]") {
    const auto number = [](auto value) {
        const std::string line = json(event{level::info, "e"}.with("v", value));
        return line.substr(line.rfind(':') + 1, line.size() - line.rfind(':') - 2);
    };
    CHECK(number(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
    CHECK(number(std::numeric_limits<std::uint64_t>::max()) == "9223372036854775807");
    CHECK(number(0.1) == "0.1");
    CHECK(number(1e300) == "1e+300");
    CHECK(number(std::numeric_limits<double>::quiet_NaN()) == "null");
    CHECK(number(std::numeric_limits<double>::infinity()) == "null");
}
