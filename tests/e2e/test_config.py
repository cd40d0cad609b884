"""The command line and the configuration: what is wrong is said before the service starts."""

import os
import re
import subprocess

import pytest

from support.exports import IN_RANGE, RANGE, Export, series
from support.ports import free_port
from support.service import binary


def run(*arguments, env=None):
    return subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=20,
                          env={**os.environ, **(env or {})})


def says(result):
    return result.stdout + result.stderr


def refuses(result, *words):
    assert result.returncode != 0, says(result)
    assert result.returncode > 0, f"ended by signal {-result.returncode}"
    for word in words:
        assert word in says(result), (word, says(result))


def serve_refuses(config, database, *words, **overrides):
    """`serve` ends by itself, with a reason."""
    overrides = {"EXPORTD_SERVER_LISTEN": f"127.0.0.1:{free_port()}",
                 "EXPORTD_OPS_LISTEN": f"127.0.0.1:{free_port()}", **overrides}
    refuses(config.run("serve", database.url, overrides, timeout=20), *words)


# Commands

def test_version_names_what_it_is_built_on():
    result = run("--version")
    assert result.returncode == 0
    for name in ("exportd", "Boost", "libpq", "ICU", "CLDR", "tzdata"):
        assert name.lower() in result.stdout.lower(), name
    assert re.search(r"\b\d+\.\d+", result.stdout)
    assert re.search(r"20\d\d[a-z]", result.stdout), "tzdata's version"


def test_help_names_the_commands():
    result = run("--help")
    assert result.returncode == 0
    assert "serve" in result.stdout and "check" in result.stdout


@pytest.mark.parametrize("arguments", [["nonsense"], ["serve", "--nonsense"], ["check", "-c"], []])
def test_a_wrong_command_line_is_refused(arguments):
    refuses(run(*arguments))


def test_a_missing_file_is_named():
    for command in ("serve", "check"):
        refuses(run(command, "-c", "/nowhere/exportd.toml"), "/nowhere/exportd.toml")


def test_check_accepts_what_is_shipped(config, database):
    result = config.run("check", database.url)
    assert result.returncode == 0, says(result)


def test_check_does_not_listen(config, database):
    port = free_port()
    result = config.run("check", database.url, {"EXPORTD_SERVER_LISTEN": f"127.0.0.1:{port}"})
    assert result.returncode == 0


# The main file

def append(config, text):
    with open(config.file, "a", encoding="utf-8") as file:
        file.write(text)
    return config.file.read_text(encoding="utf-8").count("\n")


def set_key(config, section, line):
    """Puts `line` right behind [section]; gives its number."""
    lines = config.file.read_text(encoding="utf-8").split("\n")
    at = lines.index(f"[{section}]") + 1
    lines.insert(at, line)
    config.file.write_text("\n".join(lines), encoding="utf-8")
    return at + 1


@pytest.mark.parametrize("command", ["check", "serve"])
@pytest.mark.parametrize("section", ["server", "database", "limits", "log"])
def test_an_unknown_key_is_an_error_that_names_key_and_line(config, database, command, section):
    line = set_key(config, section, "surprise = 1")
    refuses(config.run(command, database.url), "surprise", str(line), "exportd.toml")


def test_an_unknown_section_is_an_error_that_names_the_line(config, database):
    line = append(config, "\n[surprise]\nx = 1\n")
    result = config.run("check", database.url)
    refuses(result, "surprise")
    assert str(line - 1) in says(result) or str(line) in says(result)


def test_a_file_that_is_no_toml_names_the_line(config, database):
    append(config, "\nthis is = = no toml\n")
    refuses(config.run("check", database.url), "exportd.toml")


@pytest.mark.parametrize("value", ["2", "2x", "s", "-2s", "", "2 s s", "1e3s", "two seconds", "0x10s", "99999999999999999999s"])
def test_a_duration_without_a_good_unit_is_refused(config, database, value):
    serve_refuses(config, database, EXPORTD_LIMITS_STALL_TIMEOUT=value)


@pytest.mark.parametrize("key, value", [
    ("EXPORTD_DATABASE_POOL_SIZE", "0"), ("EXPORTD_DATABASE_POOL_SIZE", "-1"), ("EXPORTD_DATABASE_POOL_SIZE", "four"),
    ("EXPORTD_DATABASE_POOL_SIZE", "4.5"), ("EXPORTD_DATABASE_POOL_SIZE", ""),
    ("EXPORTD_LIMITS_STREAM_ROW_LIMIT", "-1"), ("EXPORTD_LIMITS_STREAM_ROW_LIMIT", "1e6"),
    ("EXPORTD_LIMITS_STREAM_ROW_LIMIT", "99999999999999999999"), ("EXPORTD_LIMITS_EXPORTS_PER_CLIENT", "x"),
    ("EXPORTD_SERVER_LISTEN", "127.0.0.1"), ("EXPORTD_SERVER_LISTEN", "127.0.0.1:99999"),
    ("EXPORTD_SERVER_LISTEN", "127.0.0.1:http"), ("EXPORTD_SERVER_LISTEN", "nonsense"), ("EXPORTD_LOG_LEVEL", "loud"),
    ("EXPORTD_DATABASE_URL", "postgresql://h/x?nonsense=1"), ("EXPORTD_AUTH_MODE", "surprise")])
def test_a_bad_override_is_refused_and_named(config, database, key, value):
    serve_refuses(config, database, **{key: value})
    section, name = key.removeprefix("EXPORTD_").lower().split("_", 1)
    text = says(config.run("check", database.url, {key: value}))
    assert key in text or f"{section}.{name}" in text or name in text


@pytest.mark.parametrize("listen", ["0.0.0.0", "[::]"])
def test_listening_on_anything_but_loopback_without_authentication_is_refused(config, database, listen):
    serve_refuses(config, database, EXPORTD_SERVER_LISTEN=f"{listen}:{free_port()}")


def test_a_port_that_is_taken_is_said(service, config, database):
    own = service()
    serve_refuses(config, database, str(own.port), EXPORTD_SERVER_LISTEN=f"127.0.0.1:{own.port}")


def test_an_override_wins_over_the_file(service):
    own = service(exports={"five": series(5, "n")}, EXPORTD_LIMITS_STREAM_ROW_LIMIT="4")
    assert own.get(f"/exports/five.csv?{RANGE}").status == 422


def test_the_database_url_can_come_from_a_file(service, database, tmp_path):
    secret = tmp_path / "url"
    secret.write_text(database.url + "\n")
    own = service(EXPORTD_DATABASE_URL=None, EXPORTD_DATABASE_URL_FILE=str(secret))
    assert own.get(f"/exports/orders.csv?{RANGE}").status == 200


def test_a_secret_file_that_is_not_there_is_named(config, database, tmp_path):
    serve_refuses(config, database, "nowhere", EXPORTD_DATABASE_URL=None,
                  EXPORTD_DATABASE_URL_FILE=str(tmp_path / "nowhere"))


def test_messages_do_not_show_the_password(config, database):
    url = database.url_at("127.0.0.1", free_port()).replace("//", "//someone:tops3cret@", 1) \
        if "@" not in database.url else re.sub(r"//[^@]*@", "//someone:tops3cret@", database.url)
    result = config.run("check", url)
    assert "tops3cret" not in says(result)


# Exports

@pytest.mark.parametrize("change, words", [
    ({"time_zone": "Europe/Lodnon"}, ["Europe/Lodnon"]),
    ({"time_zone": ""}, []),
    ({"locale": "xx-NOWHERE"}, ["xx-NOWHERE"]),
    ({"locale": "not a locale"}, ["not a locale"]),
    ({"max_range": "0d"}, []),
    ({"max_range": "month"}, ["max_range"]),
    ({"settings": {"surprise": 1}}, ["surprise"]),
    ({"settings": {"formula_guard": "no"}}, ["formula_guard"]),
    ({"settings": {"stream_row_limit": -1}}, ["stream_row_limit"]),
    ({"columns": [{"name": "nothing"}]}, ["nothing"]),
    ({"columns": [{"name": "n", "format": "surprise"}]}, ["format"]),
    ({"columns": [{"name": "n", "surprise": "x"}]}, ["surprise"]),
    ({"columns": [{"heading": "x"}]}, []),
    ({"columns": [{"name": "n", "format": "money"}]}, []),
    ({"columns": [{"name": "n", "format": "money", "currency": "nothing"}]}, ["nothing"]),
    ({"columns": [{"name": "t", "format": "money", "currency": "t"}]}, ["t"]),
    ({"columns": [{"name": "t", "format": "date_time"}]}, ["t"]),
])
def test_a_wrong_definition_is_refused_and_named(config, database, change, words):
    config.add("wrong", Export(f"SELECT 1 AS n, 'x'::text AS t WHERE {IN_RANGE}", **change))
    refuses(config.run("check", database.url), "wrong", *words)
    serve_refuses(config, database, "wrong")


@pytest.mark.parametrize("kind, literal", [
    ("inet", "'127.0.0.1'"), ("int4range", "'[1,2)'"), ("text[]", "'{a}'"), ("point", "'(1,2)'"), ("tsvector", "'a'")])
def test_a_type_without_a_decoder_is_refused_with_advice(config, database, kind, literal):
    config.add("typed", Export(f"SELECT {literal}::{kind} AS x WHERE {IN_RANGE}"))
    shown = "text[]" if kind == "text[]" else kind
    result = config.run("check", database.url)
    refuses(result, "cast column x of type", "to text in the query", "typed")
    assert f"cast column x of type {shown} to text" in says(result) or kind == "text[]"
    serve_refuses(config, database, "cast column x of type")


@pytest.mark.parametrize("sql", [
    "SELECT nothing FROM orders", "SELECT 1 FROM no_such_table", "SELEC 1", "", "-- nothing",
    "SELECT 1 AS a; SELECT 2 AS b", "DELETE FROM orders", "SELECT $3::text AS x"])
def test_a_wrong_query_is_refused_by_check(config, database, sql):
    config.add("query", Export(sql))
    refuses(config.run("check", database.url), "query")


def test_a_missing_sql_file_is_named(config, database):
    config.add("lost", series(1, "n"))
    (config.sql / "lost.sql").unlink()
    refuses(config.run("check", database.url), "lost.sql")


def test_a_sql_file_outside_the_directory_is_refused(config, database):
    config.add("outside", Export("SELECT 1 AS n", settings={"sql": "../../../etc/passwd"}))
    refuses(config.run("check", database.url), "outside")


@pytest.mark.parametrize("name", ["receipts", "a b", "a.b", "ü", "A/../b".replace("/", "_") + "%"])
def test_a_name_that_can_not_be_a_path_is_refused(config, database, name):
    config.add(name, series(1, "n"))
    refuses(config.run("check", database.url))


@pytest.mark.parametrize("filename", ["a/b", "a\"b", "../x", "a\r\nb", "", "ü"])
def test_a_file_name_that_is_not_safe_is_refused(config, database, filename):
    config.add("named", series(1, "n", settings={"filename": filename}))
    refuses(config.run("check", database.url), "named")


def test_the_file_name_is_the_configured_one(service):
    own = service(exports={"data": series(1, "n", settings={"filename": "my-numbers"}), "plain": series(1, "n")})
    assert own.get(f"/exports/data.csv?{RANGE}")["Content-Disposition"] == \
        'attachment; filename="my-numbers_2025-01-01_2025-02-01.csv"'
    assert own.get(f"/exports/plain.csv?{RANGE}")["Content-Disposition"] == \
        'attachment; filename="plain_2025-01-01_2025-02-01.csv"'


def test_check_without_a_database_says_so(config, database):
    result = config.run("check", database.url_at("127.0.0.1", free_port()))
    refuses(result)
    assert "database" in says(result).lower()


def test_serve_refuses_nothing_that_check_accepts(config, database, service):
    assert config.run("check", database.url).returncode == 0
    assert service().get("/exports").status == 200
