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
    return {command::action::print, std::nullopt, {}, {}, std::move(text), exit_code};
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

    const CLI::App* migrate = add_command(
        "migrate", "Make or update the tables of background exports and the audit, and exit");

    CLI::App* probe =
        add_command("probe", "Ask the running service on ops.listen whether it is alive, and exit");
    bool ready = false;
    probe->add_flag("--ready", ready, "Ask whether it is ready for exports instead");

    new_token made;
    CLI::App* token = app.add_subcommand("token", "Make a token and its entry of the access file");
    token->add_option("NAME", made.name, "Whose it is, in the audit too")->required();
    token->add_option("--exports", made.exports, "Exports that it may use, separated by commas")
        ->type_name("NAMES")
        ->capture_default_str();
    token->add_flag("--raw", made.raw, "Allow values=raw");
    token->add_option("--max-range", made.max_range, "Longest range, such as 92d")
        ->type_name("DAYS");
    token->add_option("--expires", made.expires, "Days until it ends, such as 90d; 365d by default")
        ->type_name("DAYS");

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
    if (*serve) return {command::action::serve, choose_file(file, env), {}, {}, {}, 0};
    if (*check) return {command::action::check, choose_file(file, env), {}, {}, {}, 0};
    if (*migrate) return {command::action::migrate, choose_file(file, env), {}, {}, {}, 0};
    if (*token) return {command::action::token, std::nullopt, {}, std::move(made), {}, 0};
    if (*probe) {
        const auto asks = ready ? probe_kind::ready : probe_kind::alive;
        return {command::action::probe, choose_file(file, env), asks, {}, {}, 0};
    }
    return print(
        "exportd: expected a command, serve, check, migrate, probe or token (exportd --help shows "
        "how to "
        "call "
        "it)\n",
        2);
}

}  // namespace exportd::app
