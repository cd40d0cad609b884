#pragma once

#include <exportd/exports/definition.hpp>
#include <exportd/format/time_zone.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace exportd::exports {

// An export with what is made of its definition once.
struct catalog_entry {
    definition what;
    std::shared_ptr<const format::time_zone> zone;
};

// The exports of the service, by name. Immutable.
class catalog {
public:
    // Reads every *.toml of the directory. Throws std::runtime_error that tells all that is
    // wrong, a line each: see read_definition(), an unknown time zone, no export at all.
    static catalog load(const std::filesystem::path& directory,
                        const std::filesystem::path& sql_directory);

    // Null for an unknown name.
    const catalog_entry* find(std::string_view name) const;

    const std::map<std::string, catalog_entry, std::less<>>& all() const noexcept {
        return entries_;
    }

private:
    std::map<std::string, catalog_entry, std::less<>> entries_;
};

}  // namespace exportd::exports
