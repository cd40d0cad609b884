#include <exportd/observe/process_usage.hpp>

#include "small_file.hpp"
#include <array>
#include <unistd.h>

namespace exportd::observe {
namespace {

// Where proc/self/stat has what, counted from the state, which is the field after the command.
constexpr std::size_t at_user_ticks = 11;
constexpr std::size_t at_system_ticks = 12;
constexpr std::size_t at_threads = 17;
constexpr std::size_t at_start_ticks = 19;
constexpr std::size_t at_virtual_bytes = 20;
constexpr std::size_t at_resident_pages = 21;
using stat_fields = std::array<std::uint64_t, at_resident_pages + 1>;

std::optional<stat_fields> read_stat(const std::filesystem::path& root) {
    const auto file = read_small_file(root / "proc/self/stat");
    // The command may hold blanks and parentheses.
    const auto command_end = file.rfind(')');
    if (command_end == std::string::npos) return std::nullopt;
    auto rest = std::string_view{file}.substr(command_end + 1);
    stat_fields fields{};
    for (auto& field : fields)
        field = to_count(take_part(rest, " \n")).value_or(0);
    return fields;
}

std::optional<std::uint64_t> read_max_fds(const std::filesystem::path& root) {
    const auto file = read_small_file(root / "proc/self/limits");
    constexpr std::string_view name = "Max open files";
    const auto line = file.find(name);
    if (line == std::string::npos) return std::nullopt;
    auto rest = std::string_view{file}.substr(line + name.size());
    return to_count(take_part(rest, " "));
}

std::uint64_t count_fds(const std::filesystem::path& root) {
    std::error_code failed;
    std::uint64_t count = 0;
    for (std::filesystem::directory_iterator at{root / "proc/self/fd", failed}, end;
         !failed && at != end; at.increment(failed))
        ++count;
    return count;
}

}  // namespace

std::optional<process_usage> read_process_usage(const std::filesystem::path& root) {
    const auto fields = read_stat(root);
    if (!fields) return std::nullopt;
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    const auto boot = count_of(read_small_file(root / "proc/stat"), "btime").value_or(0);
    const auto& f = *fields;
    process_usage u;
    u.cpu_seconds = static_cast<double>(f[at_user_ticks] + f[at_system_ticks]) / ticks;
    u.start_time_seconds =
        static_cast<double>(boot) + static_cast<double>(f[at_start_ticks]) / ticks;
    u.resident_bytes = f[at_resident_pages] * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    u.virtual_bytes = f[at_virtual_bytes];
    u.threads = f[at_threads];
    u.open_fds = count_fds(root);
    u.max_fds = read_max_fds(root);
    return u;
}

}  // namespace exportd::observe
