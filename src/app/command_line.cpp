#include <exportd/app/command_line.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <system_error>

namespace exportd::app {

namespace {

constexpr const char* usual_file = "config/exportd.toml";

std::optional<std::filesystem::path> choose_file(const std::string& option,
                                                 const environment& env) {
    if (!option.empty()) return option;
    const auto named = env.find("EXPORTD_CONFIG");
    if (named != env.end() && !named->second.empty()) return named->second;
    std::error_code ignored;
    if (std::filesystem::exists(usual_file, ignored)) return usual_file;
    return std::nullopt;
}

std::string version_text(const version_list& versions) {
    std::size_t width = 0;
    for (const auto& [name, version] : versions)
        width = std::max(width, name.size());
    std::string text;
    for (const auto& [name, version] : versions) {
        text += name + std::string(width - name.size() + 1, ' ') + version + '\n';
    }
    return text;
}

command print(std::string text, int exit_code) {
    return {command::action::print, std::nullopt, std::move(text), exit_code};
}

}  // namespace

command parse_command_line(int argc, const char* const* argv, const environment& env,
                           const version_list& versions) {
    CLI::App app{"Streams PostgreSQL queries as formatted CSV over HTTP.", "exportd"};
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.require_subcommand(0, 1);
    bool wants_version = false;
    app.add_flag("--version", wants_version,
                 "Print the version of exportd and of its parts and exit");

    std::string file;
    const auto add_command = [&](const char* name, const char* meaning) {
        CLI::App* sub = app.add_subcommand(name, meaning);
        sub->add_option(
               "-c,--config", file,
               "Configuration file; else EXPORTD_CONFIG, else config/exportd.toml if it exists")
            ->type_name("FILE");
        return sub;
    };
    const CLI::App* serve = add_command("serve", "Serve exports until SIGTERM or SIGINT");
    const CLI::App* check =
        add_command("check", "Check configuration, exports and database, and exit");

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        const auto chosen = app.get_subcommands();
        return print(chosen.empty() ? app.help() : chosen.front()->help(), 0);
    } catch (const CLI::ParseError& error) {
        return print(
            "exportd: " + std::string{error.what()} + " (exportd --help shows how to call it)\n",
            2);
    }
    if (wants_version) return print(version_text(versions), 0);
    if (*serve) return {command::action::serve, choose_file(file, env), {}, 0};
    if (*check) return {command::action::check, choose_file(file, env), {}, 0};
    return print(
        "exportd: expected a command, serve or check (exportd --help shows how to call it)\n", 2);
}

}  // namespace exportd::app
