#include "../../../src/http/range_request.hpp"

#include "catch.hpp"
#include <ostream>

namespace exportd::http {

static bool operator==(const selected_range& a, const selected_range& b) {
    return a.what == b.what && a.first == b.first && a.length == b.length;
}

static std::ostream& operator<<(std::ostream& out, const selected_range& s) {
    return out << static_cast<int>(s.what) << ' ' << s.first << '+' << s.length;
}

}  // namespace exportd::http

using namespace exportd::http;
using namespace std::chrono;

namespace {

constexpr std::uint64_t size = 1000;
const file_version file{"\"abc\"", size, sys_days{2025y / 3 / 1} + 12h};

const selected_range all{selection::whole, 0, size};
const selected_range unsatisfiable{selection::unsatisfiable, 0, 0};
const selected_range unchanged{selection::not_modified, 0, 0};
const selected_range refused{selection::precondition_failed, 0, 0};

selected_range part(std::uint64_t first, std::uint64_t length) {
    return {selection::part, first, length};
}

request get(std::string range = "") {
    request r;
    r.method = "GET";
    r.range = std::move(range);
    return r;
}

selected_range ranged(const std::string& range) {
    return select_range(get(range), file);
}

}  // namespace

TEST_CASE("a range of bytes is cut from the file", "[http][range]") {
    CHECK(ranged("") == all);
    CHECK(ranged("bytes=0-0") == part(0, 1));
    CHECK(ranged("bytes=0-99") == part(0, 100));
    CHECK(ranged("bytes=100-199") == part(100, 100));
    CHECK(ranged("bytes=0-") == part(0, 1000));
    CHECK(ranged("bytes=999-") == part(999, 1));
    CHECK(ranged("bytes=999-999") == part(999, 1));
    CHECK(ranged("bytes=0-999") == part(0, 1000));
    CHECK(ranged("bytes=-1") == part(999, 1));
    CHECK(ranged("bytes=-1000") == part(0, 1000));
    CHECK(ranged("bytes=007-008") == part(7, 2));
}

TEST_CASE("what lies behind the file's end is cut off", "[http][range]") {
    CHECK(ranged("bytes=0-1000") == part(0, 1000));
    CHECK(ranged("bytes=990-5000") == part(990, 10));
    CHECK(ranged("bytes=-5000") == part(0, 1000));
    CHECK(ranged("bytes=0-18446744073709551615") == part(0, 1000));
    CHECK(ranged("bytes=0-99999999999999999999999") == part(0, 1000));
    CHECK(ranged("bytes=-99999999999999999999999") == part(0, 1000));
}

TEST_CASE("a range without a byte of the file can't be satisfied", "[http][range]") {
    CHECK(ranged("bytes=1000-") == unsatisfiable);
    CHECK(ranged("bytes=1000-1000") == unsatisfiable);
    CHECK(ranged("bytes=2000-3000") == unsatisfiable);
    CHECK(ranged("bytes=18446744073709551615-") == unsatisfiable);
    CHECK(ranged("bytes=18446744073709551616-") == unsatisfiable);
    CHECK(ranged("bytes=99999999999999999999999-99999999999999999999999") == unsatisfiable);
    CHECK(ranged("bytes=-0") == unsatisfiable);
    CHECK(ranged("bytes=-000") == unsatisfiable);
}

TEST_CASE("what is no single range of bytes gets the whole file", "[http][range]") {
    for (const auto* range : {"bytes",         "bytes=",        "bytes=-",
                              "bytes=--1",     "bytes=1",       "bytes=a-",
                              "bytes=-b",      "bytes=1-b",     "bytes=5-4",
                              "bytes=+1-2",    "bytes=1 - 2",   "bytes=1-2-3",
                              "bytes=0x1-2",   "bytes:0-1",     "bytes 0-1",
                              "items=0-1",     "=0-1",          "0-1",
                              "bytes=0-1,2-3", "bytes=0-1, -1", "bytes=0-1, bytes=2-3",
                              "bytes =0-1",    " bytes=0-1",    "bytes=1-2;"}) {
        CAPTURE(range);
        CHECK(ranged(range) == all);
    }
}

TEST_CASE("case of the unit, white space and empty members do not matter", "[http][range]") {
    CHECK(ranged("Bytes=1-2") == part(1, 2));
    CHECK(ranged("BYTES=1-") == part(1, 999));
    CHECK(ranged("bytes= 1-2 ") == part(1, 2));
    CHECK(ranged("bytes=1-2,") == part(1, 2));
    CHECK(ranged("bytes=,\t1-2 , ,") == part(1, 2));
}

TEST_CASE("an empty file has no part", "[http][range]") {
    const file_version empty{"\"abc\"", 0, std::nullopt};
    CHECK(select_range(get("bytes=0-"), empty) == unsatisfiable);
    CHECK(select_range(get("bytes=-0"), empty) == unsatisfiable);
    CHECK(select_range(get("bytes=-5"), empty) == selected_range{selection::whole, 0, 0});
    CHECK(select_range(get(), empty) == selected_range{selection::whole, 0, 0});
}

TEST_CASE("a file as long as a number reaches is cut at both ends", "[http][range]") {
    constexpr std::uint64_t most = 18446744073709551615U;
    const file_version huge{"\"abc\"", most, std::nullopt};
    CHECK(select_range(get("bytes=0-"), huge) == part(0, most));
    CHECK(select_range(get("bytes=18446744073709551614-"), huge) == part(most - 1, 1));
    CHECK(select_range(get("bytes=-1"), huge) == part(most - 1, 1));
}

TEST_CASE("only GET has ranges", "[http][range]") {
    auto r = get("bytes=0-1");
    r.method = "HEAD";
    CHECK(select_range(r, file) == all);
}

TEST_CASE("If-Range lets a range through for the same file alone", "[http][range]") {
    const auto with = [](std::string validator) {
        auto r = get("bytes=5-");
        r.if_range = std::move(validator);
        return select_range(r, file);
    };
    CHECK(with("\"abc\"") == part(5, 995));
    CHECK(with(" \"abc\" ") == part(5, 995));
    CHECK(with("\"ABC\"") == all);
    CHECK(with("\"other\"") == all);
    CHECK(with("W/\"abc\"") == all);
    CHECK(with("\"abc\", \"other\"") == all);
    CHECK(with("*") == all);
    CHECK(with("abc") == all);
    CHECK(with("Sat, 01 Mar 2025 12:00:00 GMT") == all);

    // It goes before what can't be satisfied.
    auto r = get("bytes=5000-");
    r.if_range = "\"other\"";
    CHECK(select_range(r, file) == all);
    // And is nothing without a range.
    r = get();
    r.if_range = "\"other\"";
    CHECK(select_range(r, file) == all);
}

TEST_CASE("If-None-Match spares the file that the client has", "[http][range]") {
    const auto with = [](std::string tags, std::string range = "") {
        auto r = get(std::move(range));
        r.if_none_match = std::move(tags);
        return select_range(r, file);
    };
    CHECK(with("\"abc\"") == unchanged);
    CHECK(with("W/\"abc\"") == unchanged);
    CHECK(with("*") == unchanged);
    CHECK(with("\"x\", \"abc\"") == unchanged);
    CHECK(with("\"a,b\",W/\"abc\"") == unchanged);
    CHECK(with(", \"x\" ,, \"abc\" ,") == unchanged);
    CHECK(with("\"abc\"", "bytes=0-1") == unchanged);
    CHECK(with("\"abc\"", "bytes=5000-") == unchanged);
    CHECK(with("\"x\"") == all);
    CHECK(with("\"x\"", "bytes=0-1") == part(0, 2));
    CHECK(with("abc") == all);
    CHECK(with("\"abc") == all);
    CHECK(with("w/\"abc\"") == all);
    CHECK(with("\"abc\" \"x\"") == all);
    CHECK(with("\"x\", *") == all);

    request head = get();
    head.method = "HEAD";
    head.if_none_match = "\"abc\"";
    CHECK(select_range(head, file) == unchanged);
}

TEST_CASE("If-Match refuses another file", "[http][range]") {
    const auto with = [](std::string tags, std::string range = "") {
        auto r = get(std::move(range));
        r.if_match = std::move(tags);
        return select_range(r, file);
    };
    CHECK(with("\"abc\"") == all);
    CHECK(with("*") == all);
    CHECK(with("\"x\", \"abc\"") == all);
    CHECK(with("\"abc\"", "bytes=5-") == part(5, 995));
    CHECK(with("\"x\"") == refused);
    CHECK(with("W/\"abc\"") == refused);
    CHECK(with("abc") == refused);
    CHECK(with("\"x\"", "bytes=5000-") == refused);

    auto both = get();
    both.if_match = "\"x\"";
    both.if_none_match = "\"abc\"";
    CHECK(select_range(both, file) == refused);
    both.if_match = "\"abc\"";
    CHECK(select_range(both, file) == unchanged);
}

TEST_CASE("dates count where no tag is given", "[http][range]") {
    constexpr auto before = "Sat, 01 Mar 2025 11:59:59 GMT";
    constexpr auto same = "Sat, 01 Mar 2025 12:00:00 GMT";
    const auto since = [](std::string date, std::string tags) {
        auto r = get();
        r.if_modified_since = std::move(date);
        r.if_none_match = std::move(tags);
        return select_range(r, file);
    };
    CHECK(since(same, "") == unchanged);
    CHECK(since(before, "") == all);
    CHECK(since("yesterday", "") == all);
    CHECK(since(same, "\"x\"") == all);
    const auto until = [](std::string date, std::string tags) {
        auto r = get("bytes=5-");
        r.if_unmodified_since = std::move(date);
        r.if_match = std::move(tags);
        return select_range(r, file);
    };
    CHECK(until(same, "") == part(5, 995));
    CHECK(until(before, "") == refused);
    CHECK(until("yesterday", "") == part(5, 995));
    CHECK(until(before, "\"abc\"") == part(5, 995));
    CHECK(select_range(get(), {"\"abc\"", size, std::nullopt}) == all);
}
