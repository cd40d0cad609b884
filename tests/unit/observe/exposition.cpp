#include <exportd/observe/exposition.hpp>

#include <catch.hpp>

using namespace exportd::observe;

TEST_CASE("the Accept field decides between the two forms", "[observe][metrics]") {
    const auto wanted = [](const char* accept) { return wanted_exposition(accept); };

    // What Prometheus 2.42 sends.
    CHECK(wanted("application/openmetrics-text;version=1.0.0,"
                 "application/openmetrics-text;version=0.0.1;q=0.75,"
                 "text/plain;version=0.0.4;q=0.5,*/*;q=0.1") == exposition::openmetrics);
    CHECK(wanted("application/openmetrics-text") == exposition::openmetrics);
    CHECK(wanted("Application/OpenMetrics-Text; Version=\"1.0.0\"; q=0.5") ==
          exposition::openmetrics);
    CHECK(wanted("text/plain, application/openmetrics-text") == exposition::openmetrics);

    CHECK(wanted("") == exposition::text);
    CHECK(wanted("*/*") == exposition::text);
    CHECK(wanted("text/html, text/plain;q=0.9") == exposition::text);
    CHECK(wanted("application/openmetrics-text;version=0.0.1") == exposition::text);
    CHECK(wanted("application/openmetrics-text;q=0, */*") == exposition::text);
    CHECK(wanted("application/openmetrics-text;q=0.4, text/plain;q=0.5") == exposition::text);
    CHECK(wanted("application/openmetrics-text;q=x") == exposition::text);
    CHECK(wanted(";;,,=;q=,\"") == exposition::text);
}

TEST_CASE("each form has its own content type", "[observe][metrics]") {
    CHECK(content_type_of(exposition::text) == "text/plain; version=0.0.4; charset=utf-8");
    CHECK(content_type_of(exposition::openmetrics) ==
          "application/openmetrics-text; version=1.0.0; charset=utf-8");
}
