#pragma once

#include <exportd/app/config.hpp>
#include <exportd/app/new_token.hpp>
#include <exportd/app/probe.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace exportd::app {

// Names of what the program is made of, with their versions, in the order of printing.
using version_list = std::vector<std::pair<std::string, std::string>>;

// What the command line asks for.
struct command {
    enum class action {
        serve,
        check,
        migrate,
        probe,
        token,
        print,  // only `text`: help or versions for stdout, or a usage error for stderr
    };
    action what = action::print;
    std::optional<std::filesystem::path> config_file;  // none: defaults and environment only
    probe_kind asks = probe_kind::alive;               // of probe
    new_token made;                                    // of token
    std::string text;                                  // ends in a line end
    int exit_code = 0;                                 // of print: 0, or 2 for a usage error
};

// Reads the arguments of main(). The configuration file is that of -c, else the one that
// EXPORTD_CONFIG names, else config/exportd.toml if the working directory has it. Does not throw
// for wrong arguments.
command parse_command_line(int argc, const char* const* argv, const environment& env,
                           const version_list& versions);

}  // namespace exportd::app
