#include <exportd/app/command_line.hpp>

#include "temporary_directory.hpp"
#include <catch.hpp>

using namespace exportd::app;
using exportd::app::test::temporary_directory;
using action = command::action;

namespace {

command parse(std::vector<const char*> arguments, const environment& env = {}) {
    arguments.insert(arguments.begin(), "exportd");
    return parse_command_line(static_cast<int>(arguments.size()), arguments.data(), env,
                              {{"exportd", "0.1.0"}, {"ICU", "72.1"}});
}

// Makes a directory the working directory for the length of a test.
class working_directory {
public:
    explicit working_directory(const std::filesystem::path& path) {
        std::filesystem::current_path(path);
    }
    ~working_directory() { std::filesystem::current_path(before_); }

private:
    std::filesystem::path before_ = std::filesystem::current_path();
};

}  // namespace

TEST_CASE("serve and check take a configuration file", "[app][command_line]") {
    const command serve = parse({"serve", "-c", "a.toml"});
    CHECK(serve.what == action::serve);
    CHECK(serve.config_file == "a.toml");

    const command check = parse({"check", "--config=b.toml"});
    CHECK(check.what == action::check);
    CHECK(check.config_file == "b.toml");
}

TEST_CASE("probe asks for life, and with --ready for readiness", "[app][command_line]") {
    const command alive = parse({"probe", "-c", "a.toml"});
    CHECK(alive.what == action::probe);
    CHECK(alive.config_file == "a.toml");
    CHECK(alive.asks == probe_kind::alive);
    CHECK(parse({"probe", "--ready"}).asks == probe_kind::ready);
}

TEST_CASE("The file is that of -c, else EXPORTD_CONFIG, else config/exportd.toml if there is one",
          "[app][command_line]") {
    const temporary_directory directory;
    const working_directory here{directory.path()};
    const environment env{{"EXPORTD_CONFIG", "e.toml"}};

    CHECK(parse({"serve"}).config_file == std::nullopt);
    CHECK(parse({"serve"}, {{"EXPORTD_CONFIG", ""}}).config_file == std::nullopt);
    directory.write("config/exportd.toml", "");
    CHECK(parse({"serve"}).config_file == "config/exportd.toml");
    CHECK(parse({"check"}, env).config_file == "e.toml");
    CHECK(parse({"check", "-c", "c.toml"}, env).config_file == "c.toml");
}

TEST_CASE("Versions and help are printed and succeed", "[app][command_line]") {
    const command version = parse({"--version"});
    CHECK(version.what == action::print);
    CHECK(version.exit_code == 0);
    CHECK(version.text == "exportd 0.1.0\nICU     72.1\n");

    const command help = parse({"--help"});
    CHECK(help.exit_code == 0);
    CHECK(help.text.find("serve") != std::string::npos);
    CHECK(help.text.find("--version") != std::string::npos);
    CHECK(parse({"serve", "--help"}).text.find("--config") != std::string::npos);
    CHECK(parse({"serve", "--help"}).exit_code == 0);
}

TEST_CASE("A wrong call is one clear line and exit code 2", "[app][command_line]") {
    const std::vector<std::vector<const char*>> calls{{},
                                                      {"sevre"},
                                                      {"serve", "-x"},
                                                      {"serve", "-c"},
                                                      {"serve", "extra"},
                                                      {"serve", "check"},
                                                      {"serve", "--ready"},
                                                      {"serve", "-c", "a", "-c", "b"}};
    for (const auto& arguments : calls) {
        const command c = parse(arguments);
        INFO(c.text);
        CHECK(c.what == action::print);
        CHECK(c.exit_code == 2);
        CHECK(c.text.starts_with("exportd: "));
        CHECK(c.text.find('\n') == c.text.size() - 1);
    }
}
