#pragma once

#include <exportd/observe/cgroup.hpp>

#include <string_view>

namespace exportd::observe {

// The hierarchy that has this controller ("cpu", "memory"): of version 1 if one is mounted for
// it, else of version 2. With an empty name, that of version 2. Empty if there is none.
cgroup::hierarchy find_hierarchy(const std::filesystem::path& root, std::string_view controller);

}  // namespace exportd::observe
