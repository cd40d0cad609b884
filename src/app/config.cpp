#include <exportd/app/config.hpp>
#include <exportd/app/config_environment.hpp>
#include <exportd/app/config_file.hpp>
#include <exportd/app/config_key.hpp>

#include "access_check.hpp"
#include "delivery_check.hpp"
#include <string_view>
#include <utility>

namespace exportd::app {

namespace {

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        if (!text.empty()) text += '\n';
        text += line;
    }
    return text;
}

std::string shown(const boost::asio::ip::tcp::endpoint& endpoint) {
    const std::string host = endpoint.address().to_string();
    const std::string port = std::to_string(endpoint.port());
    return endpoint.address().is_v6() ? "[" + host + "]:" + port : host + ":" + port;
}

config defaults() {
    config c;
    for (const config_key& key : config_keys()) {
        if (!assign(c, key, key.fallback)) throw std::logic_error{key.path() + ": wrong default"};
    }
    return c;
}

void anchor_paths(config& c, const std::filesystem::path& base) {
    for (const config_key& key : config_keys()) {
        const auto* kind = std::get_if<path_value>(&key.value);
        if (kind == nullptr || kind->at(c).empty()) continue;
        kind->at(c) = (base / kind->at(c)).lexically_normal();
    }
}

}  // namespace

config_error::config_error(std::vector<std::string> lines)
    : std::runtime_error{joined(lines)}, lines_{std::move(lines)} {
}

environment read_environment(const char* const* list) {
    environment env;
    for (; *list != nullptr; ++list) {
        const std::string_view entry{*list};
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos) continue;
        env.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return env;
}

config load_config(const std::optional<std::filesystem::path>& file, const environment& env) {
    config c = defaults();
    std::vector<std::string> errors;
    if (file) read_config_file(*file, c, errors);
    apply_environment(env, c, errors);
    if (!errors.empty()) throw config_error{std::move(errors)};
    anchor_paths(c, file ? file->parent_path() : std::filesystem::path{"config"});
    return c;
}

std::vector<std::string> validate(const config& c) {
    std::vector<std::string> faults;
    if (c.auth.mode == auth_mode::none && !c.server.listen.address().is_loopback()) {
        faults.push_back(
            "server.listen: " + shown(c.server.listen) +
            " is not a loopback address, and without authentication (auth.mode = \"none\") "
            "exportd serves on loopback only");
    }
    if (c.debug.routes && !c.server.listen.address().is_loopback()) {
        faults.push_back(
            "debug.routes: they may block the service and are for loopback only, not for " +
            shown(c.server.listen));
    }
    if (c.readiness.leave_delay > c.readiness.enter_delay) {
        faults.push_back("readiness.leave_delay: expected at most readiness.enter_delay");
    }
    if (c.server.listen == c.ops.listen && c.server.listen.port() != 0) {
        faults.push_back("ops.listen: " + shown(c.ops.listen) +
                         " is the address of server.listen too; expected another port");
    }
    check_delivery(c, faults);
    check_access(c, faults);
    return faults;
}

}  // namespace exportd::app
