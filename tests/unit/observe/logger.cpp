#include <exportd/observe/logger.hpp>

#include <array>
#include <catch.hpp>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sanitizers.hpp>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace exportd::observe;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

namespace {

// ThreadSanitizer slows the formatting of a line by an order of magnitude.
constexpr auto time_for_100_000_events = exportd::test::thread_sanitizer ? 60s : 2s;

class pipe_pair {
public:
    pipe_pair() { REQUIRE(::pipe(ends_.data()) == 0); }
    ~pipe_pair() {
        close_reader();
        close_writer();
    }

    int writer() const { return ends_[1]; }
    void close_reader() { close_end(ends_[0]); }
    void close_writer() { close_end(ends_[1]); }

    // All lines until the writer is closed.
    std::vector<std::string> read_lines() const {
        std::vector<std::string> lines(1);
        std::array<char, 65536> bytes;
        for (ssize_t n = 0; (n = ::read(ends_[0], bytes.data(), bytes.size())) > 0;) {
            for (const char c : std::string_view{bytes.data(), static_cast<std::size_t>(n)}) {
                if (c == '\n') {
                    lines.emplace_back();
                } else {
                    lines.back() += c;
                }
            }
        }
        CHECK(lines.back().empty());
        lines.pop_back();
        return lines;
    }

private:
    static void close_end(int& fd) {
        if (fd >= 0) ::close(fd);
        fd = -1;
    }

    std::array<int, 2> ends_{-1, -1};
};

logger_options options(const pipe_pair& pipe) {
    return {.least = level::info,
            .format = log_format::text,
            .queue = 1024,
            .fd = pipe.writer(),
            .now = [] { return std::chrono::system_clock::time_point{}; }};
}

// The sum of what the log_dropped lines say.
std::uint64_t told_drops(const std::vector<std::string>& lines) {
    std::uint64_t sum = 0;
    for (const std::string& line : lines) {
        const std::size_t at = line.find("warning log_dropped n=");
        if (at != std::string::npos) sum += std::stoull(line.substr(at + 22));
    }
    return sum;
}

std::size_t written_events(const std::vector<std::string>& lines) {
    std::size_t count = 0;
    for (const std::string& line : lines)
        count += line.find("info tick") != std::string::npos;
    return count;
}

}  // namespace

TEST_CASE("Events of the least level and above are written, in order, before the logger ends",
          "[observe][logger]") {
    pipe_pair pipe;
    {
        logger log{options(pipe)};
        log.observe(event{level::debug, "hidden"});
        log.observe(event{level::info, "first"}.with("n", 1));
        log.observe(event{level::warning, "second"});
        log.observe(event{level::error, "third"});
    }
    pipe.close_writer();
    CHECK(pipe.read_lines() == std::vector<std::string>{"1970-01-01T00:00:00.000Z info first n=1",
                                                        "1970-01-01T00:00:00.000Z warning second",
                                                        "1970-01-01T00:00:00.000Z error third"});
}

TEST_CASE("A pipe that nobody reads delays neither the caller nor the end", "[observe][logger]") {
    pipe_pair pipe;
    std::optional<logger> log{std::in_place, options(pipe)};

    const auto start = clock_type::now();
    for (int i = 0; i < 100'000; ++i)
        log->observe(event{level::info, "tick"}.with("i", i));
    const auto logged = clock_type::now();
    CHECK(logged - start < time_for_100_000_events);
    // 64 KiB of pipe and 1,024 lines of queue are some 3,000 lines.
    CHECK(log->dropped() > 90'000);

    log.reset();
    CHECK(clock_type::now() - logged < 3s);
}

TEST_CASE("When a slow reader catches up, every line was written or is counted",
          "[observe][logger]") {
    pipe_pair pipe;
    std::vector<std::string> lines;
    std::optional<logger> log{std::in_place, options(pipe)};
    for (int i = 0; i < 50'000; ++i)
        log->observe(event{level::info, "tick"}.with("i", i));
    CHECK(log->dropped() > 0);

    std::thread reader{[&] { lines = pipe.read_lines(); }};
    log.reset();
    pipe.close_writer();
    reader.join();

    CHECK(told_drops(lines) > 0);
    CHECK(written_events(lines) + told_drops(lines) == 50'000);
}

TEST_CASE("A reader that has gone costs lines, not the process", "[observe][logger]") {
    pipe_pair pipe;
    pipe.close_reader();
    std::optional<logger> log{std::in_place, options(pipe)};
    log->observe(event{level::info, "lost"});
    log.reset();
    SUCCEED("no SIGPIPE");
}

TEST_CASE("A line longer than a pipe holds is written whole", "[observe][logger]") {
    pipe_pair pipe;
    const std::string value(300'000, 'x');
    std::vector<std::string> lines;
    std::thread reader{[&] { lines = pipe.read_lines(); }};
    {
        logger log{options(pipe)};
        log.observe(event{level::info, "long"}.with("v", value));
    }
    pipe.close_writer();
    reader.join();
    REQUIRE(lines.size() == 1);
    CHECK(lines.front().ends_with("long v=" + value));
}

TEST_CASE("Many threads log at once, each line whole", "[observe][logger]") {
    pipe_pair pipe;
    std::vector<std::string> lines;
    std::thread reader{[&] { lines = pipe.read_lines(); }};
    {
        logger log{options(pipe)};
        std::vector<std::thread> writers;
        for (int t = 0; t < 4; ++t) {
            writers.emplace_back([&log] {
                for (int i = 0; i < 1000; ++i)
                    log.observe(event{level::info, "tick"}.with("i", i));
            });
        }
        for (std::thread& writer : writers)
            writer.join();
    }
    pipe.close_writer();
    reader.join();
    CHECK(written_events(lines) + told_drops(lines) == 4000);
}
