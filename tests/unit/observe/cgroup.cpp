#include <exportd/observe/cgroup.hpp>

#include "app/temporary_directory.hpp"
#include <catch.hpp>

using namespace exportd::observe;
using fake_root = exportd::app::test::temporary_directory;
using namespace std::chrono_literals;

namespace {

constexpr const char* v2_mount =
    "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* v1_mounts =
    "23 1 8:1 / / rw - ext4 /dev/root rw\n"
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

cgroup_usage read(const fake_root& root) {
    return cgroup{root.path()}.read();
}

void write_v1_quota(const fake_root& root, const std::string& group, const char* quota) {
    root.write("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_quota_us", quota);
    root.write("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_period_us", "100000\n");
}

}  // namespace

TEST_CASE("a control group of version 2", "[observe][cgroup]") {
    const fake_root root;
    root.write("proc/self/mountinfo", v2_mount);
    root.write("proc/self/cgroup", "0::/app.slice/exportd.service\n");
    const std::string own = "sys/fs/cgroup/app.slice/exportd.service/";
    root.write(own + "cpu.max", "150000 100000\n");
    root.write(own + "cpu.stat",
               "usage_usec 900\nuser_usec 600\nsystem_usec 300\nnr_periods 40\nnr_throttled 7\n"
               "throttled_usec 2500000\n");
    root.write(own + "cpu.pressure",
               "some avg10=1.50 avg60=0.00 avg300=0.00 total=123456\n"
               "full avg10=0.00 avg60=0.00 avg300=0.00 total=99\n");
    root.write(own + "memory.current", "41943040\n");
    root.write(own + "memory.max", "67108864\n");

    const auto u = read(root);
    CHECK(u.quota_cores == 1.5);
    CHECK(u.periods == 40);
    CHECK(u.throttled_periods == 7);
    CHECK(u.throttled == 2500ms);
    CHECK(u.pressure == 123456us);
    CHECK(u.memory_bytes == 41943040);
    CHECK(u.memory_limit_bytes == 67108864);
}

TEST_CASE("version 2 without limits", "[observe][cgroup]") {
    const fake_root root;
    root.write("proc/self/mountinfo", v2_mount);
    root.write("proc/self/cgroup", "0::/\n");
    // In a container with a namespace of its own, the mount is the group.
    root.write("sys/fs/cgroup/cpu.max", "max 100000\n");
    root.write("sys/fs/cgroup/cpu.stat", "usage_usec 900\nnr_periods 0\nnr_throttled 0\n");
    root.write("sys/fs/cgroup/memory.current", "5\n");
    root.write("sys/fs/cgroup/memory.max", "max\n");

    const auto u = read(root);
    CHECK_FALSE(u.quota_cores);
    CHECK(u.throttled_periods == 0);
    CHECK_FALSE(u.throttled);
    CHECK_FALSE(u.pressure);
    CHECK(u.memory_bytes == 5);
    CHECK_FALSE(u.memory_limit_bytes);
}

TEST_CASE("a control group of version 1", "[observe][cgroup]") {
    const fake_root root;
    root.write("proc/self/mountinfo", v1_mounts);
    root.write("proc/self/cgroup",
               "4:memory:/m:1\n2:cpu,cpuacct:/jobs/exportd\n1:cpuset:/x\n0::/\n");
    write_v1_quota(root, "/jobs/exportd", "50000\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/jobs/exportd/cpu.stat",
               "nr_periods 12\nnr_throttled 5\nthrottled_time 1500000000\n");
    root.write("sys/fs/cgroup/memory/m:1/memory.usage_in_bytes", "1000\n");
    root.write("sys/fs/cgroup/memory/m:1/memory.limit_in_bytes", "2000\n");

    const auto u = read(root);
    CHECK(u.quota_cores == 0.5);
    CHECK(u.periods == 12);
    CHECK(u.throttled_periods == 5);
    CHECK(u.throttled == 1500ms);
    CHECK_FALSE(u.pressure);
    CHECK(u.memory_bytes == 1000);
    CHECK(u.memory_limit_bytes == 2000);
}

TEST_CASE("version 1 without limits", "[observe][cgroup]") {
    const fake_root root;
    root.write("proc/self/mountinfo", v1_mounts);
    root.write("proc/self/cgroup", "4:memory:/\n2:cpu,cpuacct:/\n");
    write_v1_quota(root, "", "-1\n");
    root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    const auto u = read(root);
    CHECK_FALSE(u.quota_cores);
    CHECK_FALSE(u.memory_limit_bytes);
}

TEST_CASE("the narrowest level above the process counts", "[observe][cgroup]") {
    const fake_root root;
    root.write("proc/self/mountinfo", v1_mounts);
    root.write("proc/self/cgroup", "4:memory:/pod/own\n2:cpu,cpuacct:/pod/own\n");
    write_v1_quota(root, "/pod/own", "200000\n");
    write_v1_quota(root, "/pod", "100000\n");
    write_v1_quota(root, "", "-1\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/pod/own/cpu.stat", "nr_periods 1\nnr_throttled 0\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/pod/cpu.stat", "nr_periods 9\nnr_throttled 3\n");
    root.write("sys/fs/cgroup/memory/pod/own/memory.usage_in_bytes", "10\n");
    root.write("sys/fs/cgroup/memory/pod/own/memory.limit_in_bytes", "500\n");
    root.write("sys/fs/cgroup/memory/pod/memory.limit_in_bytes", "300\n");
    const auto u = read(root);
    CHECK(u.quota_cores == 1.0);
    CHECK(u.throttled_periods == 3);
    CHECK(u.memory_bytes == 10);
    CHECK(u.memory_limit_bytes == 300);
}

TEST_CASE("a container sees the host's path of its group, mounted by itself", "[observe][cgroup]") {
    const fake_root root;
    root.write("proc/self/mountinfo",
               "40 39 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    root.write("sys/fs/cgroup/cpu.max", "25000 100000\n");
    root.write("sys/fs/cgroup/inner/cpu.max", "10000 100000\n");

    root.write("proc/self/cgroup", "0::/docker/abc\n");
    CHECK(read(root).quota_cores == 0.25);
    root.write("proc/self/cgroup", "0::/docker/abc/inner\n");
    CHECK(read(root).quota_cores == 0.1);
    root.write("proc/self/cgroup", "0::/docker/abcdef\n");
    CHECK(read(root).quota_cores == 0.25);
    root.write("proc/self/cgroup", "0::/../../etc\n");
    CHECK(read(root).quota_cores == 0.25);
    root.write("proc/self/cgroup", "0::/gone\n");
    CHECK(read(root).quota_cores == 0.25);
    root.write("proc/self/cgroup", "0::/docker/abc/gone\n");
    root.write("sys/fs/cgroup/memory.current", "9\n");
    CHECK(read(root).memory_bytes == 9);
}

TEST_CASE("both versions beside each other", "[observe][cgroup]") {
    const fake_root root;
    root.write("proc/self/mountinfo",
               std::string{v1_mounts} +
                   "41 31 0:38 / /sys/fs/cgroup/uni\\040fied rw - cgroup2 cgroup2 rw\n");
    root.write("proc/self/cgroup", "2:cpu,cpuacct:/a\n0::/b\n");
    write_v1_quota(root, "/a", "300000\n");
    root.write("sys/fs/cgroup/uni fied/b/cpu.pressure", "some avg10=0.00 total=77\n");
    const auto u = read(root);
    CHECK(u.quota_cores == 3.0);
    CHECK(u.pressure == 77us);
}

TEST_CASE("without control groups there is nothing to tell", "[observe][cgroup]") {
    const fake_root root;
    const auto u = read(root);
    CHECK_FALSE(u.quota_cores);
    CHECK_FALSE(u.periods);
    CHECK_FALSE(u.throttled_periods);
    CHECK_FALSE(u.throttled);
    CHECK_FALSE(u.pressure);
    CHECK_FALSE(u.memory_bytes);
    CHECK_FALSE(u.memory_limit_bytes);

    root.write("proc/self/mountinfo", "garbage\n - \n1 2 - cgroup2\n");
    root.write("proc/self/cgroup", ":\n::\nx\n");
    CHECK_FALSE(read(root).quota_cores);
}

TEST_CASE("as many threads as the quota, rounded up", "[observe][cgroup]") {
    const auto usable = [](std::optional<double> quota, std::size_t cores) {
        cgroup_usage u;
        u.quota_cores = quota;
        return usable_cores(u, cores);
    };
    CHECK(usable(0.5, 16) == 1);
    CHECK(usable(1.0, 16) == 1);
    CHECK(usable(2.1, 16) == 3);
    CHECK(usable(32.0, 16) == 16);
    CHECK(usable(std::nullopt, 16) == 16);
    CHECK(usable(std::nullopt, 0) == 1);
    CHECK(affine_cores() >= 1);
}
