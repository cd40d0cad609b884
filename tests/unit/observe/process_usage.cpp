#include <exportd/observe/process_usage.hpp>

#include "app/temporary_directory.hpp"
#include <catch.hpp>
#include <unistd.h>

using namespace exportd::observe;
using fake_root = exportd::app::test::temporary_directory;

TEST_CASE("what the system says of the process", "[observe]") {
    REQUIRE(::sysconf(_SC_CLK_TCK) == 100);
    const fake_root root;
    root.write("proc/self/stat",
               "42 (a) b (c) S 1 42 42 0 -1 4194560 9 0 0 0 150 25 0 0 20 0 3 0 700 4096000 250 "
               "18446744073709551615 1 1 0 0\n");
    root.write("proc/stat", "cpu  1 2 3\nbtime 1700000000\nprocesses 5\n");
    root.write("proc/self/limits",
               "Limit                     Soft Limit           Hard Limit           Units\n"
               "Max open files            20000                30000                files\n");
    for (const char* fd : {"0", "1", "7"})
        root.write("proc/self/fd/" + std::string{fd}, "");
    const auto u = read_process_usage(root.path());
    REQUIRE(u);
    CHECK(u->cpu_seconds == 1.75);
    CHECK(u->start_time_seconds == 1700000007.0);
    CHECK(u->resident_bytes == 250 * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
    CHECK(u->virtual_bytes == 4096000);
    CHECK(u->threads == 3);
    CHECK(u->open_fds == 3);
    CHECK(u->max_fds == 20000);
}

TEST_CASE("a process without a limit of descriptors, and a system without proc", "[observe]") {
    const fake_root root;
    CHECK_FALSE(read_process_usage(root.path()));
    root.write("proc/self/stat", "42 (x) S 1 2\n");
    root.write("proc/self/limits", "Max open files            unlimited            unlimited\n");
    const auto u = read_process_usage(root.path());
    REQUIRE(u);
    CHECK_FALSE(u->max_fds);
}

TEST_CASE("this very process", "[observe]") {
    const auto u = read_process_usage();
    REQUIRE(u);
    CHECK(u->resident_bytes > 1'000'000);
    CHECK(u->threads >= 1);
    CHECK(u->open_fds >= 3);
}
