#include <exportd/app/config_key.hpp>
#include <exportd/app/units.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "source_directory.hpp"
#include <catch.hpp>
#include <fstream>
#include <set>

using namespace exportd::app;

namespace {

const std::string documentation = source_directory() + "/config/exportd.toml";

// The bounds of a key as they stand behind its meaning, or nothing for a key without.
struct bounds {
    std::string operator()(const duration_value& kind) const {
        return " (" + duration_text(kind.min) + " to " + duration_text(kind.max) + ")";
    }
    std::string operator()(const short_duration_value& kind) const {
        return " (" + duration_text(kind.min) + " to " + duration_text(kind.max) + ")";
    }
    std::string operator()(const size_value& kind) const {
        return " (" + size_text(kind.min) + " to " + size_text(kind.max) + ")";
    }
    std::string operator()(const count_value& kind) const {
        if (kind.max == std::numeric_limits<std::int64_t>::max())
            return " (from " + std::to_string(kind.min) + ")";
        return " (" + std::to_string(kind.min) + " to " + std::to_string(kind.max) + ")";
    }
    std::string operator()(const ratio_value& kind) const {
        return fmt::format(" ({} to {})", kind.min, kind.max);
    }
    template <class Other>
    std::string operator()(const Other&) const {
        return "";
    }
};

bool may_be_empty(const config_key& key) {
    const auto* text = std::get_if<text_value>(&key.value);
    const auto* path = std::get_if<path_value>(&key.value);
    return (text != nullptr && text->optional) || (path != nullptr && path->optional);
}

std::vector<std::string> read_lines(const std::string& file) {
    std::ifstream in{file};
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("config/exportd.toml documents exactly the keys that exist, with their defaults",
          "[app][config]") {
    const toml::table root = toml::parse_file(documentation);
    const auto lines = read_lines(documentation);

    std::set<std::string> documented;
    for (const auto& [section, keys] : root) {
        for (const auto& [name, value] : *keys.as_table()) {
            documented.insert(std::string{section.str()} + "." + std::string{name.str()});
        }
    }
    CHECK(documented.size() == config_keys().size());

    for (const config_key& key : config_keys()) {
        INFO(key.path());
        const auto node = root[key.section][key.name];
        REQUIRE(node);
        const auto number = node.value_exact<std::int64_t>();
        const auto flag = node.value_exact<bool>();
        const auto ratio = node.value_exact<double>();
        CHECK(number.has_value() == is_count(key));
        CHECK(flag.has_value() == is_flag(key));
        CHECK(ratio.has_value() == is_ratio(key));
        if (ratio) {
            CHECK(*ratio == std::stod(std::string{key.fallback}));
        } else if (flag) {
            CHECK((*flag ? "true" : "false") == key.fallback);
        } else {
            CHECK((number ? std::to_string(*number) : node.value_or(std::string{})) ==
                  key.fallback);
            CHECK((number || node.is_string()));
        }

        const std::string& comment = lines.at(node.node()->source().begin.line - 2);
        const std::string_view meaning = key.meaning.substr(0, key.meaning.size() - 1);
        const std::string expected = "# " + std::string{meaning} + std::visit(bounds{}, key.value);
        CHECK(comment.starts_with(expected));
    }
}

TEST_CASE("Every key has a default within its bounds and a sentence, once", "[app][config]") {
    std::set<std::string> variables;
    for (const config_key& key : config_keys()) {
        INFO(key.path());
        config c;
        CHECK(assign(c, key, key.fallback));
        CHECK(assign(c, key, "") == may_be_empty(key));
        CHECK(key.meaning.ends_with('.'));
        CHECK(variables.insert(key.variable()).second);
    }
    CHECK(variables.contains("EXPORTD_LIMITS_EXPORTS_PER_CLIENT"));
    CHECK(variables.contains("EXPORTD_DATABASE_URL"));
}

TEST_CASE("Every key can be set by its variable", "[app][config]") {
    environment env;
    for (const config_key& key : config_keys())
        env.emplace(key.variable(), key.fallback);
    CHECK_NOTHROW(load_config(std::nullopt, env));
}
