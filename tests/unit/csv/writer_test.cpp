#include <exportd/csv/text_slices.hpp>
#include <exportd/csv/writer.hpp>

#include "catch.hpp"
#include <string>
#include <vector>

using namespace exportd;
using namespace std::string_literals;
using csv::formula_guard;

namespace {

std::string field(std::string_view text, formula_guard guard = formula_guard::on) {
    rows::byte_buffer out;
    csv::append_text(out, text, guard);
    return std::string{out.view()};
}

std::string sliced(std::string_view text, std::size_t budget, formula_guard guard) {
    rows::byte_buffer out;
    csv::text_slices slices{text, guard};
    while (!slices.append_some(out, budget)) {
    }
    return std::string{out.view()};
}

}  // namespace

TEST_CASE("a text without special bytes is written as it is", "[csv]") {
    CHECK(field("Ada Lovelace") == "Ada Lovelace");
    CHECK(field("C:\\temp\\x") == "C:\\temp\\x");
    CHECK(field("0012345678901234567") == "0012345678901234567");
    CHECK(field("a;b") == "a;b");
    CHECK(field("Zoë 株式会社 🦊") == "Zoë 株式会社 🦊");
    CHECK(field("a\0b"s) == "a\0b"s);
    CHECK(field("it's") == "it's");
}

TEST_CASE("special bytes are quoted and quotes doubled", "[csv]") {
    CHECK(field("a,b") == "\"a,b\"");
    CHECK(field("a\rb") == "\"a\rb\"");
    CHECK(field("a\nb") == "\"a\nb\"");
    CHECK(field("a\r\nb") == "\"a\r\nb\"");
    CHECK(field("\"") == "\"\"\"\"");
    CHECK(field("\"\"") == "\"\"\"\"\"\"");
    CHECK(field("say \"hi\" now") == "\"say \"\"hi\"\" now\"");
    CHECK(field(" a") == "\" a\"");
    CHECK(field("a ") == "\"a \"");
    CHECK(field(" ") == "\" \"");
    CHECK(field("") == "\"\"");
}

TEST_CASE("a special byte is found wherever it stands", "[csv]") {
    for (std::size_t length = 1; length < 70; ++length) {
        for (std::size_t at = 0; at < length; ++at) {
            std::string text(length, 'x');
            text[at] = ',';
            CHECK(field(text) == "\"" + text + "\"");
        }
        CHECK(field(std::string(length, 'x')) == std::string(length, 'x'));
    }
}

TEST_CASE("formulas are defused by an apostrophe and quotes", "[csv]") {
    CHECK(field("=1+1") == "\"'=1+1\"");
    CHECK(field("@SUM(1)") == "\"'@SUM(1)\"");
    CHECK(field("+1") == "\"'+1\"");
    CHECK(field("-2+3") == "\"'-2+3\"");
    CHECK(field("\t=1") == "\"'\t=1\"");
    CHECK(field("\tx") == "\"'\tx\"");
    CHECK(field("\r=1") == "\"'\r=1\"");
    CHECK(field("\n=1") == "\"'\n=1\"");
    CHECK(field(" =1") == "\"' =1\"");
    CHECK(field("\uFF1D1") == "\"'\uFF1D1\"");
    CHECK(field("\uFF0B1") == "\"'\uFF0B1\"");
    CHECK(field("\u00A0=1") == "\"'\u00A0=1\"");
    CHECK(field("\u200B\uFEFF =1") == "\"'\u200B\uFEFF =1\"");
    CHECK(field("\u3000@x") == "\"'\u3000@x\"");
    CHECK(field("\0=1"s) == "\"'\0=1\""s);
    CHECK(field("=HYPERLINK(\"http://example.invalid\",\"x\")") ==
          "\"'=HYPERLINK(\"\"http://example.invalid\"\",\"\"x\"\")\"");
}

TEST_CASE("what only looks a little like a formula is left alone", "[csv]") {
    CHECK(field("a,=1+1") == "\"a,=1+1\"");
    CHECK(field("a\";=1+1") == "\"a\"\";=1+1\"");
    CHECK(field("a=1") == "a=1");
    CHECK(field("\u00E9=1") == "\u00E9=1");
    CHECK(field("\xE2\x80") == "\xE2\x80");
    CHECK(field("   ") == "\"   \"");
    CHECK(field("=1+1", formula_guard::off) == "=1+1");
    CHECK(field("\t=1", formula_guard::off) == "\t=1");
}

TEST_CASE("endless white space is guarded without a look at its end", "[csv]") {
    const std::string text = std::string(100'000, ' ') + "x";
    CHECK(csv::looks_like_formula(text));
    CHECK_FALSE(csv::looks_like_formula(std::string(1000, ' ') + "x"));
}

TEST_CASE("slices give the same bytes as the whole", "[csv]") {
    const std::vector<std::string> texts{"",
                                         "x",
                                         "plain text of some length",
                                         "=1+1",
                                         " =1",
                                         "a \"quoted\" word, and more",
                                         "trailing ",
                                         std::string(1000, 'x') + "\n",
                                         std::string(1000, '"'),
                                         "\"",
                                         "line\r\nline"};
    for (const auto& text : texts) {
        for (const std::size_t budget : {1U, 3U, 16U, 4096U}) {
            CHECK(sliced(text, budget, formula_guard::on) == field(text, formula_guard::on));
            CHECK(sliced(text, budget, formula_guard::off) == field(text, formula_guard::off));
        }
    }
}

TEST_CASE("a slice never writes more than twice its budget and the quotes", "[csv]") {
    const std::string text(10'000, '"');
    rows::byte_buffer out;
    csv::text_slices slices{text, formula_guard::off};
    for (bool complete = false; !complete;) {
        const std::size_t before = out.size();
        complete = slices.append_some(out, 100);
        CHECK(out.size() - before <= 2 * 100 + 3);
    }
}

TEST_CASE("a field from elsewhere is quoted afterwards", "[csv]") {
    rows::byte_buffer out;
    auto mark = csv::begin_field(out);
    out.append("1,234");
    csv::end_field(out, mark, true);
    out.append(",");
    mark = csv::begin_field(out);
    out.append("12");
    csv::end_field(out, mark, false);
    CHECK(out.view() == "\"1,234\",12");
}
