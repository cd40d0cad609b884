"""What the audit does when a place of it is slow, gone, or does not want a record."""

import os
import subprocess

import pytest

from support.access import ANNA, ask, audit_once, audit_rows, bearer, tokens
from support.exports import series
from support.poll import poll_until
from support.ports import free_port
from support.service import binary, fill, is_healthy
from support.wire import Connection

RANGE = "from=2025-09-01&to=2025-10-01"
NUMBERS = f"/exports/numbers.csv?{RANGE}"
RIGHT = bearer(ANNA)


@pytest.fixture
def audited(service, jobs, tmp_path):
    def start(exports=None, **more):
        return service(exports={"numbers": series(10, "n"), **(exports or {})},
                       **tokens(tmp_path, **{**jobs.settings, "EXPORTD_AUDIT_SINKS": "table", **more}))
    return start


def test_a_service_whose_log_nobody_reads_still_ends(config, database, tmp_path):
    """A record waits for the full pipe while the service is told to stop."""
    config.add("numbers", series(10, "n"))
    port = free_port()
    reading, writing = os.pipe()
    environment = config.environment(database.url, {
        **tokens(tmp_path), "EXPORTD_SERVER_LISTEN": f"127.0.0.1:{port}", "EXPORTD_OPS_LISTEN": f"127.0.0.1:{free_port()}",
        "EXPORTD_SERVER_SHUTDOWN_DELAY": "0s"})
    os.set_blocking(writing, False)
    process = subprocess.Popen([binary(), "serve", "-c", str(config.file)], env=environment, stdout=writing)
    try:
        poll_until(lambda: is_healthy(port), 10, "the service")
        fill(writing)
        with Connection(port, timeout=20) as connection:
            connection.request(NUMBERS, fields=RIGHT)
            assert connection.response("GET").status == 200
        process.terminate()
        assert process.wait(20) == 0
    finally:
        process.kill()
        os.close(reading)
        os.close(writing)


def test_a_name_that_is_no_text_is_nobody_and_holds_nobody_up(audited, database, tmp_path):
    groups = tmp_path / "groups.toml"
    groups.write_text('[[groups]]\nname = "*"\nexports = ["*"]\n', encoding="utf-8")
    own = audited(EXPORTD_AUTH_MODE="proxy", EXPORTD_SERVER_TRUSTED_PROXIES="127.0.0.1", EXPORTD_AUDIT_REQUIRED="true",
                  EXPORTD_AUTH_FILE=str(groups))
    assert ask(own, "GET", NUMBERS, {"X-Forwarded-User": "anna\xff"}).status == 401
    assert ask(own, "GET", NUMBERS, {"X-Forwarded-User": "ben"}).status == 200
    assert audit_rows(database, "code = 'malformed_user'") != []


def test_a_record_that_the_table_never_takes_holds_nobody_up(audited, database):
    """It is lost and told at once; only a database that can't be reached is waited for."""
    own = audited()
    database.execute("ALTER TABLE exportd.audit ADD CONSTRAINT narrow CHECK (action <> 'request') NOT VALID")
    assert ask(own, "GET", NUMBERS, {}).status == 401
    assert own.event("audit_lost")["action"] == "request"
    assert ask(own, "GET", NUMBERS, RIGHT).status == 200
    audit_once(database, "action = 'export'", 2, deadline=2)


def test_a_record_whose_answer_was_lost_is_there_once(audited, database, relay):
    """The server has it, the service does not know: it says it again."""
    own = audited(EXPORTD_AUDIT_REQUIRED="true", EXPORTD_AUDIT_URL=database.url_at("127.0.0.1", relay.port))
    assert ask(own, "GET", NUMBERS, RIGHT).status == 200
    audit_once(database, "phase = 'end'")
    # The server commits, and the relay cuts before it says so.
    database.execute("CREATE FUNCTION exportd.slow() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(1); "
                     "RETURN NULL; END$$; CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON exportd.audit "
                     "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.action = 'export') EXECUTE FUNCTION exportd.slow()")
    connection = own.connect()
    connection.request(NUMBERS, fields=RIGHT)
    poll_until(lambda: database.rows("SELECT 1 FROM pg_stat_activity WHERE application_name = 'exportd audit' "
                                     "AND query = 'COMMIT' AND state = 'active'"), 5, "the commit")
    relay.cut()
    assert connection.response("GET").status == 200
    assert len(audit_rows(database, "phase = 'start'")) == 2
