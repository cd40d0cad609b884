#include <exportd/app/config_environment.hpp>
#include <exportd/app/config_key.hpp>
#include <exportd/app/nearest.hpp>
#include <exportd/app/text_file.hpp>

#include <algorithm>
#include <string_view>

namespace exportd::app {

namespace {

std::optional<std::string> read_secret(const std::string& file) {
    auto text = read_text_file(file);
    if (text && text->ends_with('\n')) text->pop_back();
    if (text && text->ends_with('\r')) text->pop_back();
    return text;
}

void apply_key(const environment& env, const config_key& key, config& c,
               std::vector<std::string>& errors) {
    const std::string variable = key.variable();
    const std::string file_variable = variable + "_FILE";
    const auto direct = env.find(variable);
    const auto from_file = key.secret ? env.find(file_variable) : env.end();

    if (direct != env.end() && from_file != env.end()) {
        errors.push_back(variable + " and " + file_variable +
                         " are both set; expected one of them");
    } else if (direct != env.end()) {
        if (assign(c, key, direct->second)) return;
        errors.push_back(variable + ": expected " + expectation(key) +
                         (key.secret ? "" : ", got \"" + direct->second + "\""));
    } else if (from_file != env.end()) {
        const auto text = read_secret(from_file->second);
        if (!text) {
            errors.push_back(file_variable + ": " + from_file->second + " can't be read");
        } else if (!assign(c, key, *text)) {
            errors.push_back(file_variable + ": expected " + expectation(key) + " in " +
                             from_file->second);
        }
    }
}

// What follows the section in a name that Kubernetes makes for a service.
bool is_service_link(std::string_view rest) {
    return rest == "PORT" || rest.starts_with("PORT_") || rest == "SERVICE_HOST" ||
           rest == "SERVICE_PORT" || rest.starts_with("SERVICE_PORT_");
}

// Whether the variable belongs to a section but to none of its keys.
bool is_misspelt(std::string_view variable, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), variable) != known.end()) return false;
    const auto keys = config_keys();
    return std::any_of(keys.begin(), keys.end(), [&](const config_key& key) {
        const std::string whole = key.variable();
        const std::string_view prefix =
            std::string_view{whole}.substr(0, whole.size() - key.name.size());
        return variable.starts_with(prefix) && !is_service_link(variable.substr(prefix.size()));
    });
}

}  // namespace

void apply_environment(const environment& env, config& c, std::vector<std::string>& errors) {
    std::vector<std::string> known;
    for (const config_key& key : config_keys()) {
        known.push_back(key.variable());
        if (key.secret) known.push_back(key.variable() + "_FILE");
        apply_key(env, key, c, errors);
    }
    for (const auto& [variable, value] : env) {
        if (is_misspelt(variable, known)) {
            errors.push_back(variable + ": no such key" + did_you_mean(variable, known));
        }
    }
}

}  // namespace exportd::app
