#include <exportd/app/config_file.hpp>
#include <exportd/app/config_key.hpp>
#include <exportd/app/nearest.hpp>
#include <exportd/app/text_file.hpp>

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace exportd::app {

namespace {

std::vector<std::string> section_names() {
    std::vector<std::string> names;
    for (const config_key& key : config_keys()) {
        if (names.empty() || names.back() != key.section) names.emplace_back(key.section);
    }
    return names;
}

std::vector<std::string> key_names(std::string_view section) {
    std::vector<std::string> names;
    for (const config_key& key : config_keys()) {
        if (key.section == section) names.emplace_back(key.name);
    }
    return names;
}

const config_key* find_key(std::string_view section, std::string_view name) {
    const auto keys = config_keys();
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const config_key& key) {
        return key.section == section && key.name == name;
    });
    return found == keys.end() ? nullptr : &*found;
}

std::string shown(const toml::node& node) {
    if (const auto text = node.value_exact<std::string_view>())
        return '"' + std::string{*text} + '"';
    std::ostringstream out;
    node.visit([&](const auto& value) { out << value; });
    return out.str();
}

// Fills a config from a parsed file and keeps what is wrong, with its line.
class file_reader {
public:
    explicit file_reader(config& c) : config_{c} {}

    void read(const toml::table& root) {
        for (const auto& [section, node] : root) {
            const auto sections = section_names();
            if (std::find(sections.begin(), sections.end(), section.str()) == sections.end()) {
                complain(section.source(), std::string{section.str()},
                         "no such section" + did_you_mean(section.str(), sections));
            } else if (const toml::table* keys = node.as_table()) {
                read_section(section.str(), *keys);
            } else {
                complain(section.source(), std::string{section.str()},
                         "expected a section, [" + std::string{section.str()} + "]");
            }
        }
    }

    void complain(const toml::source_region& where, const std::string& key,
                  const std::string& reason) {
        faults_.emplace_back(where.begin.line, (key.empty() ? "" : key + ": ") + reason);
    }

    // The faults in the order of the file: a TOML table has its keys in that of the alphabet.
    std::vector<std::string> faults(const std::string& file) {
        std::stable_sort(faults_.begin(), faults_.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<std::string> lines;
        for (const auto& [line, text] : faults_) {
            lines.push_back(file + ":" + std::to_string(line) + ": " + text);
        }
        return lines;
    }

private:
    void read_section(std::string_view section, const toml::table& keys) {
        for (const auto& [name, node] : keys) {
            const config_key* key = find_key(section, name.str());
            if (key == nullptr) {
                complain(name.source(), std::string{section} + "." + std::string{name.str()},
                         "no such key" + did_you_mean(name.str(), key_names(section)));
                continue;
            }
            if (!read_value(*key, node)) {
                complain(
                    node.source(), key->path(),
                    "expected " + expectation(*key) + (key->secret ? "" : ", got " + shown(node)));
            }
        }
    }

    bool read_value(const config_key& key, const toml::node& node) {
        if (is_count(key)) {
            const auto number = node.value_exact<std::int64_t>();
            return number && assign(config_, key, std::to_string(*number));
        }
        if (is_ratio(key)) {
            const auto number = node.value<double>();
            return node.is_number() && number && assign(config_, key, std::to_string(*number));
        }
        if (is_flag(key)) {
            const auto flag = node.value_exact<bool>();
            return flag && assign(config_, key, *flag ? "true" : "false");
        }
        const auto text = node.value_exact<std::string_view>();
        return text && assign(config_, key, *text);
    }

    config& config_;
    std::vector<std::pair<toml::source_index, std::string>> faults_;
};

}  // namespace

void read_config_file(const std::filesystem::path& file, config& c,
                      std::vector<std::string>& errors) {
    const auto text = read_text_file(file);
    if (!text) {
        errors.push_back(file.string() + ": can't be read");
        return;
    }
    file_reader reader{c};
    try {
        reader.read(toml::parse(*text, file.string()));
    } catch (const toml::parse_error& error) {
        reader.complain(error.source(), "", std::string{error.description()});
    }
    for (std::string& line : reader.faults(file.string()))
        errors.push_back(std::move(line));
}

}  // namespace exportd::app
