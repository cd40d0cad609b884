#include <exportd/exports/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace exportd::exports {
namespace {

std::vector<std::filesystem::path> definition_files(const std::filesystem::path& directory) {
    std::error_code ec;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator{directory, ec}) {
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
    if (ec) {
        throw std::runtime_error{
            fmt::format("exports.directory {}: {}", directory.string(), ec.message())};
    }
    if (files.empty()) {
        throw std::runtime_error{
            fmt::format("exports.directory {}: holds no export", directory.string())};
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

catalog catalog::load(const std::filesystem::path& directory,
                      const std::filesystem::path& sql_directory) {
    catalog loaded;
    std::string faults;
    for (const auto& file : definition_files(directory)) {
        try {
            catalog_entry entry;
            entry.what = read_definition(file, sql_directory);
            try {
                entry.zone = format::time_zone::load(entry.what.time_zone);
            } catch (const std::exception& e) {
                throw std::runtime_error{fmt::format("{}: {}", file.string(), e.what())};
            }
            loaded.entries_.emplace(entry.what.name, std::move(entry));
        } catch (const std::runtime_error& e) {
            faults += (faults.empty() ? "" : "\n") + std::string{e.what()};
        }
    }
    if (!faults.empty()) throw std::runtime_error{faults};
    return loaded;
}

const catalog_entry* catalog::find(std::string_view name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second;
}

}  // namespace exportd::exports
