#include <exportd/app/config.hpp>

#include "temporary_directory.hpp"
#include <catch.hpp>

using namespace exportd::app;
using namespace std::chrono_literals;
using exportd::app::test::temporary_directory;

namespace {

using lines = std::vector<std::string>;

// What is wrong with a file of this text; its name is cut from the messages.
lines faults(std::string_view toml, const environment& env = {}) {
    const temporary_directory directory;
    const auto file = directory.write("exportd.toml", toml);
    try {
        load_config(file, env);
        return {};
    } catch (const config_error& error) {
        lines found = error.lines();
        for (std::string& line : found) {
            if (line.starts_with(file.string())) line.erase(0, file.string().size() + 1);
        }
        return found;
    }
}

lines environment_faults(const environment& env) {
    return faults("", env);
}

config read(std::string_view toml, const environment& env = {}) {
    const temporary_directory directory;
    return load_config(directory.write("exportd.toml", toml), env);
}

}  // namespace

TEST_CASE("Without a file and an environment the defaults hold", "[app][config]") {
    const config c = load_config(std::nullopt, {});
    CHECK(c.server.listen.address().to_string() == "127.0.0.1");
    CHECK(c.server.listen.port() == 8080);
    CHECK(c.server.header_timeout == 10s);
    CHECK(c.server.chunk_bytes == 65536);
    CHECK(c.ops.listen.port() == 9090);
    CHECK(c.database.url == "postgresql:///");
    CHECK(c.database.pool_size == 16);
    CHECK(c.limits.exports_per_client == 8);
    CHECK(c.limits.stream_row_limit == 500000);
    CHECK(c.limits.export_deadline == 1h);
    CHECK(c.loop.turn_budget == 1ms);
    CHECK(c.exports.directory == "config/exports");
    CHECK(c.exports.sql_directory == "sql/exports");
    CHECK(c.auth.mode == auth_mode::none);
    CHECK(c.log.level == exportd::observe::level::info);
    CHECK(c.log.format == exportd::observe::log_format::json);
    CHECK(c.log.queue == 8192);
}

TEST_CASE("A file sets what it names and leaves the rest", "[app][config]") {
    const config c = read(R"(
[server]
listen = "[::1]:0"
chunk_bytes = "4KiB"
[limits]
stream_row_limit = 0
stall_timeout = "250ms"
[log]
level = "warning"
format = "text"
)");
    CHECK(c.server.listen.address().to_string() == "::1");
    CHECK(c.server.listen.port() == 0);
    CHECK(c.server.chunk_bytes == 4096);
    CHECK(c.server.header_timeout == 10s);
    CHECK(c.limits.stream_row_limit == 0);
    CHECK(c.limits.stall_timeout == 250ms);
    CHECK(c.log.level == exportd::observe::level::warning);
    CHECK(c.log.format == exportd::observe::log_format::text);
}

TEST_CASE("Paths are relative to the directory of the file", "[app][config]") {
    const temporary_directory directory;
    const auto file =
        directory.write("etc/exportd.toml", "[exports]\nsql_directory = \"/srv/sql\"\n");
    const config c = load_config(file, {});
    CHECK(c.exports.directory == directory.path() / "etc/exports");
    CHECK(c.exports.sql_directory == "/srv/sql");

    const config other = load_config(file, {{"EXPORTD_EXPORTS_DIRECTORY", "../mine"}});
    CHECK(other.exports.directory == directory.path() / "mine");
}

TEST_CASE("A fault names line, key and what was expected, and all are told at once",
          "[app][config]") {
    CHECK(
        faults("[server]\nheader_timeout = 10\nchunk_bytes = \"2MiB\"\n\n[database]\npool_size = "
               "0\n") ==
        lines{
            R"(2: server.header_timeout: expected a duration from 100ms to 10m with its unit, such as "250ms", "30s" or "5m", got 10)",
            R"(3: server.chunk_bytes: expected a size from 4KiB to 1MiB with its unit, such as "4096B", "64KiB" or "1MiB", got "2MiB")",
            R"(6: database.pool_size: expected a whole number from 1 to 1000, got 0)",
        });
}

TEST_CASE("A key or section that does not exist is a fault with its line", "[app][config]") {
    CHECK(faults("[server]\nlisen = \"127.0.0.1:1\"\n") ==
          lines{R"(2: server.lisen: no such key; did you mean "listen"?)"});
    CHECK(faults("[limits]\nxyzzy = 1\n") == lines{"2: limits.xyzzy: no such key"});
    CHECK(faults("\n[severs]\nlisten = \"127.0.0.1:1\"\n") ==
          lines{R"(2: severs: no such section; did you mean "server"?)"});
    CHECK(faults("listen = \"127.0.0.1:1\"\n") == lines{"1: listen: no such section"});
    CHECK(faults("server = 1\n") == lines{"1: server: expected a section, [server]"});
    CHECK(faults("[server.listen]\nhost = 1\n").size() == 1);
}

TEST_CASE("Values of the wrong kind are faults", "[app][config]") {
    for (const char* wrong : {
             "[server]\nlisten = 8080",
             "[server]\nlisten = \"8080\"",
             "[server]\nlisten = \":8080\"",
             "[server]\nlisten = \"127.0.0.1\"",
             "[server]\nlisten = \"127.0.0.1:65536\"",
             "[server]\nlisten = \"::1:8080\"",
             "[server]\nlisten = \"[127.0.0.1]:8080\"",
             "[server]\nlisten = \"example.org:8080\"",
             "[server]\nchunk_bytes = 65536",
             "[server]\nchunk_bytes = \"65536\"",
             "[server]\nchunk_bytes = \"4095B\"",
             "[server]\nheader_timeout = \"100us\"",
             "[server]\nheader_timeout = \"100500us\"",
             "[server]\nmax_connections = \"10\"",
             "[server]\nmax_connections = 1.0",
             "[limits]\nstream_row_limit = -1",
             "[limits]\nexports_per_client = true",
             "[exports]\ndirectory = \"\"",
             "[log]\nlevel = \"loud\"",
             "[log]\nformat = \"xml\"",
             "[database]\nurl = [\"a\"]",
         }) {
        INFO(wrong);
        CHECK(faults(wrong).size() == 1);
    }
    CHECK(faults("[auth]\nmode = \"basic\"") ==
          lines{R"(2: auth.mode: expected "none", "tokens", "proxy" or "jwt", got "basic")"});
}

TEST_CASE("A file that is not TOML, or is not there, is a fault", "[app][config]") {
    const lines broken = faults("[server]\nlisten = \n");
    REQUIRE(broken.size() == 1);
    CHECK(broken.front().starts_with("2: "));
    CHECK(faults("[log]\nlevel = \"info\"\nlevel = \"error\"\n").front().starts_with("3: "));

    CHECK_THROWS_WITH(load_config("/nonexistent/exportd.toml", {}),
                      "/nonexistent/exportd.toml: can't be read");
    CHECK_THROWS_WITH(load_config("/", {}), "/: can't be read");
}

TEST_CASE("The environment overrides the file", "[app][config]") {
    const environment env{{"EXPORTD_SERVER_LISTEN", "localhost:1234"},
                          {"EXPORTD_DATABASE_POOL_SIZE", "4"},
                          {"EXPORTD_LIMITS_STREAM_ROW_LIMIT", "0"},
                          {"EXPORTD_AUTH_MODE", "none"},
                          {"EXPORTD_DATABASE_URL", "postgresql://db/shop"}};
    const config c = read("[server]\nlisten = \"127.0.0.1:1\"\n[database]\npool_size = 8\n", env);
    CHECK(c.server.listen.address().to_string() == "127.0.0.1");
    CHECK(c.server.listen.port() == 1234);
    CHECK(c.database.pool_size == 4);
    CHECK(c.limits.stream_row_limit == 0);
    CHECK(c.database.url == "postgresql://db/shop");
}

TEST_CASE("A wrong variable is a fault; foreign ones are not ours to judge", "[app][config]") {
    CHECK(
        environment_faults({{"EXPORTD_DATABASE_POOL_SIZE", "many"}}) ==
        lines{R"(EXPORTD_DATABASE_POOL_SIZE: expected a whole number from 1 to 1000, got "many")"});
    CHECK(
        environment_faults({{"EXPORTD_DATABASE_POOLSIZE", "4"}}) ==
        lines{
            R"(EXPORTD_DATABASE_POOLSIZE: no such key; did you mean "EXPORTD_DATABASE_POOL_SIZE"?)"});
    CHECK(environment_faults({{"EXPORTD_SERVER_LISTEN_FILE", "/x"}}).size() == 1);
    CHECK(environment_faults(
              {{"EXPORTD_TEST_DATABASE_URL", "x"}, {"EXPORTD_CONFIG", "x"}, {"PATH", "x"}})
              .empty());
    CHECK(environment_faults({{"EXPORTD_OPS_PORT", "tcp://10.0.0.1:9090"},
                              {"EXPORTD_OPS_PORT_9090_TCP_ADDR", "10.0.0.1"},
                              {"EXPORTD_OPS_SERVICE_HOST", "10.0.0.1"},
                              {"EXPORTD_OPS_SERVICE_PORT_HTTP", "9090"}})
              .empty());
}

TEST_CASE("A secret may come from a file and is never shown", "[app][config]") {
    const temporary_directory directory;
    const std::string file = directory.write("url", "postgresql://u:hunter2@db/shop\n").string();
    CHECK(load_config(std::nullopt, {{"EXPORTD_DATABASE_URL_FILE", file}}).database.url ==
          "postgresql://u:hunter2@db/shop");

    CHECK(
        environment_faults({{"EXPORTD_DATABASE_URL_FILE", file}, {"EXPORTD_DATABASE_URL", "x"}}) ==
        lines{"EXPORTD_DATABASE_URL and EXPORTD_DATABASE_URL_FILE are both set; expected one of "
              "them"});
    CHECK(environment_faults({{"EXPORTD_DATABASE_URL_FILE", "/nonexistent"}}) ==
          lines{"EXPORTD_DATABASE_URL_FILE: /nonexistent can't be read"});
    const std::string empty = directory.write("empty", "\n").string();
    CHECK(environment_faults({{"EXPORTD_DATABASE_URL_FILE", empty}}).size() == 1);
    CHECK(faults("[database]\nurl = 12345\n") ==
          lines{"2: database.url: expected a text that is not empty"});
}

TEST_CASE("The process's environment is read as it is", "[app][config]") {
    const char* const list[] = {"A=1", "EMPTY=", "EQUALS=a=b", "broken", nullptr};
    CHECK(read_environment(list) == environment{{"A", "1"}, {"EMPTY", ""}, {"EQUALS", "a=b"}});
}

TEST_CASE("Serving beyond loopback without authentication is refused", "[app][config]") {
    const auto refused = [](const char* listen) {
        return validate(read("", {{"EXPORTD_SERVER_LISTEN", listen}}));
    };
    CHECK(refused("127.0.0.1:8080").empty());
    CHECK(refused("127.3.2.1:8080").empty());
    CHECK(refused("[::1]:8080").empty());
    CHECK(refused("0.0.0.0:8080") ==
          lines{"server.listen: 0.0.0.0:8080 is not a loopback address, and without authentication "
                "(auth.mode = \"none\") exportd serves on loopback only"});
    CHECK(refused("[::]:8080").size() == 1);
    CHECK(refused("10.0.0.7:8080").size() == 1);
    CHECK(refused("127.0.0.1:9090") == lines{"ops.listen: 127.0.0.1:9090 is the address of "
                                             "server.listen too; expected another port"});
}
