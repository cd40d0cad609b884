#pragma once

#include <exportd/rows/column.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::exports {

// The columns that each export's query was last seen to have. Loop thread only.
class schema_store {
public:
    void set(const std::string& name, std::vector<rows::column> columns) {
        columns_[name] = std::move(columns);
    }

    // Null while it is not known.
    const std::vector<rows::column>* find(std::string_view name) const {
        const auto found = columns_.find(name);
        return found == columns_.end() ? nullptr : &found->second;
    }

private:
    std::map<std::string, std::vector<rows::column>, std::less<>> columns_;
};

}  // namespace exportd::exports
