#include "../../../src/http/html.hpp"

#include "catch.hpp"

using exportd::http::fill_template;

TEST_CASE("values get into a template as text and not as markup", "[http]") {
    CHECK(fill_template("<p title=\"{{who}}\">{{who}}</p>", {{"who", "<b> & \"'"}}) ==
          "<p title=\"&lt;b&gt; &amp; &quot;'\">&lt;b&gt; &amp; &quot;'</p>");
    CHECK(fill_template("no place", {{"who", "x"}}) == "no place");
}

TEST_CASE("a value that looks like a place is not filled again", "[http]") {
    CHECK(fill_template("{{a}}{{b}}", {{"a", "{{b}}"}, {"b", "2"}}) == "{{b}}2");
}
