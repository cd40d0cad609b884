#include <exportd/observe/metrics.hpp>
#include <exportd/observe/observers.hpp>

#include <array>
#include <catch.hpp>
#include <chrono>
#include <sanitizers.hpp>
#include <string>
#include <thread>
#include <vector>

using namespace exportd::observe;
using namespace std::chrono_literals;

namespace {

// What the metrics say of a series, such as x_total{export="a"}; empty when it is not there.
std::string value_in(const std::string& text, const std::string& series) {
    const auto line = ("\n" + text).find("\n" + series + " ");
    if (line == std::string::npos) return {};
    const auto start = line + series.size() + 1;
    return text.substr(start, text.find('\n', start) - start);
}

std::size_t series_in(const std::string& text, const std::string& name) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = ("\n" + text).find("\n" + name, at)) != std::string::npos; ++at)
        ++count;
    return count;
}

struct fixture {
    metrics counted{{{"orders", "a\"b"}, {{"exportd", "1.2"}, {"icu", "72"}, {"tzdata", "2025b"}}}};

    std::string value(const std::string& series) {
        return value_in(counted.render("").body, series);
    }
    void tell(event e) { counted.observe(e); }
};

event finished(std::string name, std::string outcome) {
    return event{level::info, "export_finished"}
        .with("export", std::move(name))
        .with("outcome", std::move(outcome));
}

}  // namespace

TEST_CASE("exports are counted by name and outcome", "[observe][metrics]") {
    fixture f;
    f.tell(event{level::info, "export_started"}.with("export", "orders"));
    f.tell(event{level::info, "export_started"}.with("export", "orders"));
    CHECK(f.value("exportd_exports_running") == "2");
    f.tell(finished("orders", "complete")
               .with("rows", 3)
               .with("bytes", 80)
               .with("duration_ms", 1500.0)
               .with("first_byte_ms", 20.5)
               .with("fallbacks", 2));
    f.tell(finished("orders", "aborted").with("rows", 1).with("bytes", 10).with("duration_ms", 7));
    CHECK(f.value("exportd_exports_running") == "0");
    CHECK(f.value("exportd_exports_total{export=\"orders\",outcome=\"complete\"}") == "1");
    CHECK(f.value("exportd_exports_total{export=\"orders\",outcome=\"failed\"}") == "0");
    CHECK(f.value("exportd_exports_total{export=\"orders\",outcome=\"aborted\"}") == "1");
    CHECK(f.value("exportd_exports_total{export=\"a\\\"b\",outcome=\"complete\"}") == "0");
    CHECK(f.value("exportd_export_rows_total{export=\"orders\"}") == "4");
    CHECK(f.value("exportd_export_bytes_total{export=\"orders\"}") == "90");
    CHECK(f.value("exportd_export_fallbacks_total{export=\"orders\"}") == "2");
    const std::string durations = "exportd_export_duration_seconds";
    CHECK(f.value(durations + "_sum{export=\"orders\",outcome=\"complete\"}") == "1.5");
    CHECK(f.value(durations + "_bucket{export=\"orders\",outcome=\"complete\",le=\"1.0\"}") == "0");
    CHECK(f.value(durations + "_bucket{export=\"orders\",outcome=\"complete\",le=\"2.5\"}") == "1");
    CHECK(f.value(durations + "_bucket{export=\"orders\",outcome=\"complete\",le=\"+Inf\"}") ==
          "1");
    CHECK(f.value("exportd_export_first_byte_seconds_count{export=\"orders\"}") == "1");
    CHECK(f.value("exportd_export_first_byte_seconds_sum{export=\"orders\"}") == "0.0205");
}

TEST_CASE("rows and bytes of a long export are counted as it goes, and once",
          "[observe][metrics]") {
    fixture f;
    const auto progress = [](std::string id, int rows) {
        return event{level::debug, "export_progress"}
            .with("export", "orders")
            .with("export_id", std::move(id))
            .with("rows", rows)
            .with("bytes", rows * 10);
    };
    const std::string rows = "exportd_export_rows_total{export=\"orders\"}";
    f.tell(progress("one", 100));
    f.tell(progress("two", 7));
    f.tell(progress("one", 250));
    CHECK(f.value(rows) == "257");
    f.tell(finished("orders", "complete")
               .with("export_id", "one")
               .with("rows", 300)
               .with("bytes", 3000));
    CHECK(f.value(rows) == "307");
    CHECK(f.value("exportd_export_bytes_total{export=\"orders\"}") == "3070");
    f.tell(finished("orders", "failed").with("export_id", "two").with("rows", 7).with("bytes", 70));
    f.tell(finished("orders", "failed").with("export_id", "two").with("rows", 1).with("bytes", 1));
    CHECK(f.value(rows) == "308");
}

TEST_CASE("an export is refused or ends, never both", "[observe][metrics]") {
    fixture f;
    const auto failed = [](const char* code) {
        return finished("orders", "failed").with("code", code);
    };
    f.tell(failed("too_many_rows"));
    f.tell(failed("database_unavailable"));
    f.tell(failed("shutting_down").with("first_byte_ms", 1.0));
    CHECK(f.value("exportd_exports_refused_total{reason=\"too_many_rows\"}") == "1");
    CHECK(f.value("exportd_exports_refused_total{reason=\"shutting_down\"}") == "0");
    CHECK(f.value("exportd_exports_total{export=\"orders\",outcome=\"failed\"}") == "2");
}

TEST_CASE("refusals are counted by a fixed set of reasons", "[observe][metrics]") {
    fixture f;
    const auto refused = [](const char* code) {
        return event{level::info, "export_refused"}.with("code", code);
    };
    for (const char* code : {"queue_full", "queue_timeout", "queue_timeout", "invalid_range",
                             "unknown_parameter", "x\"y"})
        f.tell(refused(code));
    f.tell(refused("overloaded").with("queue_wait_ms", 2000));
    f.tell(refused("client_gone"));  // from the queue
    f.tell(event{level::info, "export_refused"});
    CHECK(f.value("exportd_exports_refused_total{reason=\"queue_full\"}") == "1");
    CHECK(f.value("exportd_exports_refused_total{reason=\"queue_timeout\"}") == "2");
    CHECK(f.value("exportd_exports_refused_total{reason=\"invalid\"}") == "2");
    CHECK(f.value("exportd_exports_refused_total{reason=\"overloaded\"}") == "1");
    CHECK(f.value("exportd_exports_refused_total{reason=\"client_gone\"}") == "1");
    CHECK(f.value("exportd_exports_refused_total{reason=\"other\"}") == "2");
    CHECK(f.value("exportd_export_queue_wait_seconds_sum") == "2");
}

TEST_CASE("names that are not configured count as other", "[observe][metrics]") {
    fixture f;
    f.counted.add_route("/exports/{}.csv");
    const auto before = series_in(f.counted.render("").body, "exportd_");
    const auto answered = [](std::string route, int status) {
        return event{level::debug, "request_answered"}
            .with("route", std::move(route))
            .with("status", status);
    };
    f.tell(finished("junk", "complete").with("rows", 5));
    f.tell(finished("orders", "exploded"));
    f.tell(answered("/exports/{}.csv", 200));
    f.tell(answered("/junk", 404));
    f.tell(answered("/junk2", 404));
    f.tell(answered("/exports/{}.csv", 70000));
    f.tell(event{level::info, "junk"}.with("export", "junk"));
    const auto text = f.counted.render("").body;
    CHECK(text.find("junk") == std::string::npos);
    CHECK(value_in(text, "exportd_export_rows_total{export=\"other\"}") == "5");
    const std::string requests = "exportd_http_requests_total";
    CHECK(value_in(text, requests + "{route=\"/exports/{}.csv\",status=\"200\"}") == "1");
    CHECK(value_in(text, requests + "{route=\"other\",status=\"404\"}") == "2");
    CHECK(value_in(text, requests + "{route=\"/exports/{}.csv\",status=\"other\"}") == "1");
    CHECK(series_in(text, "exportd_") == before + 2);
}

TEST_CASE("downloads are counted", "[observe][metrics]") {
    fixture f;
    CHECK(f.value("exportd_downloads_total{outcome=\"failed\"}") == "0");
    f.tell(event{level::info, "download_finished"}.with("outcome", "complete").with("bytes", 70));
    f.tell(event{level::info, "download_finished"}.with("outcome", "aborted").with("bytes", 5));
    CHECK(f.value("exportd_downloads_total{outcome=\"complete\"}") == "1");
    CHECK(f.value("exportd_downloads_total{outcome=\"aborted\"}") == "1");
    CHECK(f.value("exportd_download_bytes_total") == "75");
}

TEST_CASE("tasks and failed connects are counted", "[observe][metrics]") {
    fixture f;
    f.tell(event{level::debug, "task_finished"}
               .with("outcome", "done")
               .with("wait_ms", 250)
               .with("run_ms", 500.0));
    f.tell(event{level::debug, "task_finished"}.with("outcome", "refused"));
    f.tell(event{level::warning, "database_unavailable"}.with("retry_ms", 100));
    CHECK(f.value("exportd_workers_tasks_total{outcome=\"done\"}") == "1");
    CHECK(f.value("exportd_workers_tasks_total{outcome=\"refused\"}") == "1");
    CHECK(f.value("exportd_workers_wait_seconds_sum") == "0.25");
    CHECK(f.value("exportd_workers_run_seconds_count") == "1");
    CHECK(f.value("exportd_pool_connect_failures_total") == "1");
}

TEST_CASE("the owners' gauges show as they are set", "[observe][metrics]") {
    fixture f;
    f.counted.state().pool_in_use.set(4);
    f.counted.state().exports_waiting.set(2);
    f.counted.state().shedding.set(1);
    CHECK(f.value("exportd_pool_connections{state=\"in_use\"}") == "4");
    CHECK(f.value("exportd_pool_connections{state=\"idle\"}") == "0");
    CHECK(f.value("exportd_exports_waiting") == "2");
    CHECK(f.value("exportd_shedding") == "1");
}

TEST_CASE("sources are asked when metrics are read", "[observe][metrics]") {
    fixture f;
    loop_health health;
    health.delays.add(700us);
    health.delays.add(3s);
    health.window.p99 = 3s;
    health.utilisation = 0.25;
    health.busy = 1500ms;
    health.slow_turns["/x"] = 3;
    bool throttled = false;
    metric_sources from;
    from.loop = [&] { return health; };
    from.stalls = [] { return stall_counts{2, 5s, 1s}; };
    from.throttled = [&] { return throttled; };
    from.not_ready = [] { return std::vector<std::string_view>{"delay"}; };
    from.log_dropped = [] { return 7; };
    from.cgroup = [] {
        cgroup_usage u;
        u.quota_cores = 0.5;
        u.throttled = 2500ms;
        return u;
    };
    f.counted.set_sources(from);

    CHECK(f.value("exportd_loop_delay_seconds_bucket{le=\"0.0005\"}") == "0");
    CHECK(f.value("exportd_loop_delay_seconds_bucket{le=\"0.001\"}") == "1");
    CHECK(f.value("exportd_loop_delay_seconds_bucket{le=\"2.5\"}") == "1");
    CHECK(f.value("exportd_loop_delay_seconds_bucket{le=\"5.0\"}") == "2");
    CHECK(f.value("exportd_loop_delay_seconds_bucket{le=\"+Inf\"}") == "2");
    CHECK(f.value("exportd_loop_delay_seconds_sum") == "3.0007");
    CHECK(f.value("exportd_loop_delay_p99_seconds") == "3");
    CHECK(f.value("exportd_loop_utilisation_ratio") == "0.25");
    CHECK(f.value("exportd_loop_busy_seconds_total") == "1.5");
    CHECK(f.value("exportd_loop_slow_turns_total{route=\"/x\"}") == "3");
    CHECK(f.value("exportd_loop_slow_turns_total{route=\"other\"}") == "0");
    CHECK(f.value("exportd_loop_stalls_total") == "2");
    CHECK(f.value("exportd_loop_stalled_seconds_total") == "5");
    CHECK(f.value("exportd_loop_stall_seconds") == "1");
    CHECK(f.value("exportd_ready") == "0");
    CHECK(f.value("exportd_not_ready{reason=\"delay\"}") == "1");
    CHECK(f.value("exportd_not_ready{reason=\"database\"}") == "0");
    CHECK(f.value("exportd_log_dropped_total") == "7");
    CHECK(f.value("exportd_cgroup_cpu_quota_cores") == "0.5");
    CHECK(f.value("exportd_cgroup_cpu_throttled_seconds_total") == "2.5");
    CHECK(f.value("exportd_build_info{version=\"1.2\",icu=\"72\"}") == "1");
    CHECK(f.value("exportd_tzdata_info{version=\"2025b\"}") == "1");

    CHECK(f.value("exportd_loop_throttled") == "0");
    throttled = true;
    CHECK(f.value("exportd_loop_throttled") == "1");
    health.window.p99 = 1ms;  // throttled, and nobody notices
    CHECK(f.value("exportd_loop_throttled") == "0");
}

TEST_CASE("every family is there from the start, and once", "[observe][metrics]") {
    fixture f;
    const auto text = f.counted.render("").body;
    for (const char* name :
         {"exportd_loop_delay_seconds histogram", "exportd_loop_delay_p50_seconds gauge",
          "exportd_exports_total counter", "exportd_exports_waiting gauge",
          "exportd_export_queue_wait_seconds histogram", "exportd_http_requests_total counter",
          "exportd_downloads_total counter", "exportd_workers_run_seconds histogram",
          "exportd_cgroup_cpu_quota_cores gauge",
          "exportd_cgroup_cpu_pressure_seconds_total counter", "process_max_fds gauge",
          "exportd_metrics_render_seconds gauge"}) {
        INFO(name);
        CHECK(series_in(text, "# TYPE " + std::string{name} + "\n") == 1);
    }
    CHECK(series_in(text, "# TYPE ") == series_in(text, "# HELP "));
}

TEST_CASE("reading changes nothing but the time that it took", "[observe][metrics]") {
    fixture f;
    const auto stable = [&f] {
        auto text = f.counted.render("").body;
        const auto at = text.find("\nexportd_metrics_render_seconds ");
        return text.erase(at, text.find('\n', at + 1) - at);
    };
    f.counted.render("");
    CHECK(f.value("exportd_metrics_render_seconds") != "0");
    const auto first = stable();
    CHECK(stable() == first);
}

TEST_CASE("fifty exports are written within 5 ms", "[observe][metrics]") {
    metric_names names;
    for (int i = 0; i < 50; ++i)
        names.exports.push_back("an_export_with_a_long_name_" + std::to_string(i));
    metrics counted{names};
    auto best = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < 20; ++i) {
        const auto start = std::chrono::steady_clock::now();
        counted.render("application/openmetrics-text");
        best = std::min(best, std::chrono::steady_clock::now() - start);
    }
    const std::chrono::duration<double, std::milli> took = best;
    UNSCOPED_INFO("50 exports took " << took.count() << " ms");
    constexpr bool slowed = exportd::test::address_sanitizer || exportd::test::thread_sanitizer;
    CHECK(best < (slowed ? 50ms : 5ms));
}

TEST_CASE("events are counted while metrics are read", "[observe][metrics]") {
    fixture f;
    f.counted.add_route("/x");
    const auto tell = [&f] {
        for (int i = 0; i < 2000; ++i) {
            f.tell(event{level::info, "export_started"});
            f.tell(finished("orders", "complete").with("duration_ms", 1));
            f.tell(event{level::debug, "request_answered"}.with("route", "/x").with("status", 204));
        }
    };
    std::thread one{tell};
    std::thread two{tell};
    for (int i = 0; i < 20; ++i)
        f.counted.render("");
    one.join();
    two.join();
    CHECK(f.value("exportd_exports_running") == "0");
    CHECK(f.value("exportd_exports_total{export=\"orders\",outcome=\"complete\"}") == "4000");
    CHECK(f.value("exportd_http_requests_total{route=\"/x\",status=\"204\"}") == "4000");
}

TEST_CASE("an event reaches every observer in order", "[observe]") {
    struct recorder final : observer {
        explicit recorder(std::vector<std::string>& to, std::string as)
            : heard{to}, name{std::move(as)} {}
        void observe(const event& e) noexcept override {
            heard.push_back(name + " " + std::string{e.name()});
        }
        std::vector<std::string>& heard;
        std::string name;
    };
    std::vector<std::string> heard;
    recorder one{heard, "one"};
    recorder two{heard, "two"};
    observers all{{one, two}};
    all.observe(event{level::info, "x"});
    CHECK(heard == std::vector<std::string>{"one x", "two x"});
}
