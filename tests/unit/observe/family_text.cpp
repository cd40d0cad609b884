#include "../../../src/observe/family_text.hpp"

#include <catch.hpp>
#include <limits>

using namespace exportd::observe;
using prometheus::MetricFamily;
using prometheus::MetricType;

namespace {

MetricFamily family(std::string name, std::string help, MetricType type) {
    MetricFamily f;
    f.name = std::move(name);
    f.help = std::move(help);
    f.type = type;
    return f;
}

MetricFamily counter() {
    auto f = family("x_bytes_total", "Bytes.", MetricType::Counter);
    for (const char* name : {"b", "a"}) {
        auto& m = f.metric.emplace_back();
        m.label = {{"export", name}};
        m.counter.value = name[0] == 'a' ? 3 : 0.25;
    }
    return f;
}

MetricFamily histogram() {
    auto f = family("x_wait_seconds", "Wait.", MetricType::Histogram);
    auto& m = f.metric.emplace_back();
    m.label = {{"export", "a"}};
    m.histogram.bucket = {{1, 0.0005}, {2, 1}, {3, std::numeric_limits<double>::infinity()}};
    m.histogram.sample_count = 3;
    m.histogram.sample_sum = 12.5;
    return f;
}

std::string gauge_line(double value) {
    auto f = family("g", "G.", MetricType::Gauge);
    f.metric.emplace_back().gauge.value = value;
    const auto text = family_text({f}, exposition::text);
    return text.substr(text.find("\ng ") + 1);
}

}  // namespace

TEST_CASE("families in Prometheus' text format", "[observe][metrics]") {
    CHECK(family_text({histogram(), counter()}, exposition::text) ==
          "# TYPE x_bytes_total counter\n"
          "# HELP x_bytes_total Bytes.\n"
          "x_bytes_total{export=\"a\"} 3\n"
          "x_bytes_total{export=\"b\"} 0.25\n"
          "# TYPE x_wait_seconds histogram\n"
          "# HELP x_wait_seconds Wait.\n"
          "x_wait_seconds_bucket{export=\"a\",le=\"0.0005\"} 1\n"
          "x_wait_seconds_bucket{export=\"a\",le=\"1.0\"} 2\n"
          "x_wait_seconds_bucket{export=\"a\",le=\"+Inf\"} 3\n"
          "x_wait_seconds_count{export=\"a\"} 3\n"
          "x_wait_seconds_sum{export=\"a\"} 12.5\n");
}

TEST_CASE("families in OpenMetrics", "[observe][metrics]") {
    CHECK(family_text({histogram(), counter()}, exposition::openmetrics) ==
          "# TYPE x_bytes counter\n"
          "# UNIT x_bytes bytes\n"
          "# HELP x_bytes Bytes.\n"
          "x_bytes_total{export=\"a\"} 3\n"
          "x_bytes_total{export=\"b\"} 0.25\n"
          "# TYPE x_wait_seconds histogram\n"
          "# UNIT x_wait_seconds seconds\n"
          "# HELP x_wait_seconds Wait.\n"
          "x_wait_seconds_bucket{export=\"a\",le=\"0.0005\"} 1\n"
          "x_wait_seconds_bucket{export=\"a\",le=\"1.0\"} 2\n"
          "x_wait_seconds_bucket{export=\"a\",le=\"+Inf\"} 3\n"
          "x_wait_seconds_count{export=\"a\"} 3\n"
          "x_wait_seconds_sum{export=\"a\"} 12.5\n"
          "# EOF\n");
    CHECK(family_text({}, exposition::openmetrics) == "# EOF\n");
}

TEST_CASE("labels and help are escaped as each format wants it", "[observe][metrics]") {
    auto f = family("g", "A \"b\" \\ c\nd.", MetricType::Gauge);
    f.metric.emplace_back().label = {{"l", "a \"b\" \\ c\nd"}, {"m", "\u00e9"}};
    const std::string line = "g{l=\"a \\\"b\\\" \\\\ c\\nd\",m=\"\u00e9\"} 0\n";
    CHECK(family_text({f}, exposition::text) ==
          "# TYPE g gauge\n# HELP g A \"b\" \\\\ c\\nd.\n" + line);
    CHECK(family_text({f}, exposition::openmetrics) ==
          "# TYPE g gauge\n# HELP g A \\\"b\\\" \\\\ c\\nd.\n" + line + "# EOF\n");
}

TEST_CASE("numbers are written exactly, whole ones without a point", "[observe][metrics]") {
    CHECK(gauge_line(0) == "g 0\n");
    CHECK(gauge_line(-3) == "g -3\n");
    CHECK(gauge_line(0.1) == "g 0.1\n");
    CHECK(gauge_line(1796081020.12) == "g 1796081020.12\n");
    CHECK(gauge_line(9007199254740992.0) == "g 9007199254740992\n");
    CHECK(gauge_line(1e300) == "g 1e+300\n");
    CHECK(gauge_line(std::numeric_limits<double>::infinity()) == "g +Inf\n");
    CHECK(gauge_line(-std::numeric_limits<double>::infinity()) == "g -Inf\n");
    CHECK(gauge_line(std::numeric_limits<double>::quiet_NaN()) == "g NaN\n");
}

TEST_CASE("a family without metrics has its type and help", "[observe][metrics]") {
    CHECK(family_text({family("x_limit_bytes", "Limit.", MetricType::Gauge)},
                      exposition::openmetrics) ==
          "# TYPE x_limit_bytes gauge\n"
          "# UNIT x_limit_bytes bytes\n"
          "# HELP x_limit_bytes Limit.\n"
          "# EOF\n");
}
