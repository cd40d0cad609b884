#include <exportd/access/text.hpp>

#include "catch.hpp"
#include <array>
#include <string>

using namespace exportd::access;

TEST_CASE("a name is text that can be stored and shown", "[access]") {
    for (const auto* name :
         {"anna", "anna@example.org", "Zoë", "株式会社", "a b", "\xF4\x8F\xBF\xBF"})
        CHECK(is_name(name));
    CHECK(is_name(std::string(255, 'a')));
    CHECK_FALSE(is_name(std::string(256, 'a')));
    for (const auto* wrong : {"", "a\nb", "a\x7F", "\x1F", "anna\xFF", "\x80", "\xC3", "\xC0\xAF",
                              "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                              "\xF5\x80\x80\x80", "\xE2\x82", "\xE2\x28\xA1", "\xC2\x85"})
        CHECK_FALSE(is_name(wrong));
    CHECK_FALSE(is_name(std::string_view{"a\0b", 3}));
}

TEST_CASE("blanks and tabs go from the ends only", "[access]") {
    CHECK(trim(" \ta b\t ") == "a b");
    CHECK(trim(" \t").empty());
    CHECK(trim("").empty());
    CHECK(trim("\n") == "\n");
}

TEST_CASE("bytes are two hex digits each", "[access]") {
    constexpr std::array<unsigned char, 3> bytes{0x00, 0x9F, 0xFF};
    CHECK(to_hex(bytes) == "009fff");
}
