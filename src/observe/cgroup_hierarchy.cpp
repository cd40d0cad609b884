#include "cgroup_hierarchy.hpp"

#include "small_file.hpp"

namespace exportd::observe {
namespace {

struct mount {
    std::string group;  // the group that is mounted there
    std::string point;
};

bool lists(std::string_view names, std::string_view name) {
    while (!names.empty()) {
        if (take_part(names, ",") == name) return true;
    }
    return false;
}

// proc(5) writes blanks and backslashes in paths as \ooo.
std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned code = 0;
        const auto digits = text.substr(i + 1, 3);
        if (text[i] == '\\' && digits.size() == 3 &&
            std::from_chars(digits.data(), digits.data() + 3, code, 8).ptr == digits.data() + 3) {
            out += static_cast<char>(code);
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

// Where a hierarchy is mounted: for version 1 that with the controller.
std::optional<mount> find_mount(std::string_view mountinfo, std::string_view controller) {
    while (!mountinfo.empty()) {
        auto line = take_part(mountinfo, "\n");
        const auto dash = line.find(" - ");
        if (dash == std::string_view::npos) continue;
        auto after = line.substr(dash + 3);
        line = line.substr(0, dash);
        const auto type = take_part(after, " ");
        take_part(after, " ");
        const bool found = controller.empty()
                               ? type == "cgroup2"
                               : type == "cgroup" && lists(take_part(after, " "), controller);
        if (!found) continue;
        for (int skipped = 0; skipped < 3; ++skipped)
            take_part(line, " ");
        const auto group = take_part(line, " ");
        return mount{unescaped(group), unescaped(take_part(line, " "))};
    }
    return std::nullopt;
}

// The process's group by proc/self/cgroup, whose lines are ID:CONTROLLERS:PATH.
std::string_view find_group(std::string_view groups, std::string_view controller) {
    while (!groups.empty()) {
        const auto line = take_part(groups, "\n");
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string_view::npos || second == std::string_view::npos) continue;
        const auto names = line.substr(first + 1, second - first - 1);
        const bool found = controller.empty() ? names.empty() : lists(names, controller);
        if (found) return line.substr(second + 1);
    }
    return {};
}

// The group's directory, relative to a mount of `mounted`. In a container the paths may be those
// of the host or lead out of what is mounted; then the mount itself is the group.
std::filesystem::path below(std::string_view group, std::string_view mounted) {
    if (group.find("..") != std::string_view::npos) return {};
    if (mounted == "/") return std::filesystem::path{group}.relative_path();
    if (!group.starts_with(mounted)) return {};
    const auto rest = group.substr(mounted.size());
    return rest.starts_with('/') ? std::filesystem::path{rest}.relative_path()
                                 : std::filesystem::path{};
}

}  // namespace

cgroup::hierarchy find_hierarchy(const std::filesystem::path& root, std::string_view controller) {
    const auto mountinfo = read_small_file(root / "proc/self/mountinfo");
    auto where = find_mount(mountinfo, controller);
    if (!where && !controller.empty()) return find_hierarchy(root, {});
    if (!where) return {};
    cgroup::hierarchy found;
    found.unified = controller.empty();
    const auto groups = read_small_file(root / "proc/self/cgroup");
    const auto point = root / std::filesystem::path{where->point}.relative_path();
    const auto relative = below(find_group(groups, controller), where->group);
    std::error_code failed;
    auto level = relative.empty() ? point : point / relative;
    if (!std::filesystem::is_directory(level, failed)) level = point;
    for (; level != point; level = level.parent_path())
        found.levels.push_back(level);
    found.levels.push_back(point);
    return found;
}

}  // namespace exportd::observe
