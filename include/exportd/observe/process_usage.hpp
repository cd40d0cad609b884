#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace exportd::observe {

// What the system says of this process.
struct process_usage {
    double cpu_seconds = 0;
    double start_time_seconds = 0;  // since 1970
    std::uint64_t resident_bytes = 0;
    std::uint64_t virtual_bytes = 0;
    std::uint64_t threads = 0;
    std::uint64_t open_fds = 0;
    std::optional<std::uint64_t> max_fds;  // none: unlimited
};

// Reads proc/self/stat, limits and fd and proc/stat under `root` (proc(5)); not on the loop.
// Empty when the system has no such files.
std::optional<process_usage> read_process_usage(const std::filesystem::path& root = "/");

}  // namespace exportd::observe
