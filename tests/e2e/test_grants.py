"""sql/grants/jobs.sql: it is enough for the whole life of background exports, and not too much."""

import subprocess

import psycopg2
import pytest

from support.database import role_of
from support.jobs import job_once, start_job
from support.poll import poll_until
from support.service import SOURCE
from support.wire import Connection

GRANTS = SOURCE / "sql" / "grants" / "jobs.sql"


@pytest.fixture
def role(jobs, database):
    """The URL of a role with the grants and nothing else but the orders."""
    url = database.role()
    done = subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", f"service={role_of(url)}",
                           "-f", str(GRANTS), "-d", database.url], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    yield url
    database.execute(f"DROP OWNED BY {role_of(url)}")


def test_a_role_with_the_grants_asks_makes_cancels_expires_and_forgets(service, jobs, role, database):
    database.fill_orders(1_000)
    own = service(database_url=role, **jobs.settings, EXPORTD_JOBS_EXPIRY="5s", EXPORTD_JOBS_RETENTION="1s")
    job_id = start_job(own)
    done = job_once(own, job_id, "complete", "failed")
    assert (done["state"], done["rows"]) == ("complete", 1_000)
    with Connection(own.port) as connection:
        connection.request(f"/jobs/{start_job(own)}", method="DELETE")
        assert connection.response("DELETE").status == 200
    poll_until(lambda: database.value("SELECT count(*) FROM exportd.jobs") == 0, 20, "the last job is forgotten")
    assert jobs.files() == []
    assert own.events("job_table_unavailable") == own.events("job_desk_failed") == []


@pytest.mark.parametrize("statement", [
    "TRUNCATE exportd.jobs", "DROP TABLE exportd.jobs", "ALTER TABLE exportd.jobs ADD COLUMN more int",
    "CREATE TABLE exportd.more (id int)", "DROP SCHEMA exportd CASCADE", "DELETE FROM exportd.migrations",
    "UPDATE exportd.migrations SET version = 0", "INSERT INTO exportd.migrations VALUES (99, 'x')",
    "DELETE FROM orders"])
def test_a_role_with_the_grants_may_not(role, statement):
    connection = psycopg2.connect(role)
    try:
        with connection.cursor() as cursor, pytest.raises(psycopg2.errors.InsufficientPrivilege):
            cursor.execute(statement)
    finally:
        connection.close()


def test_a_role_with_the_grants_may_not_migrate(config, jobs, role, database):
    database.execute("DROP SCHEMA exportd CASCADE")
    done = config.run("migrate", role, jobs.settings)
    assert done.returncode == 1
    assert "permission denied" in done.stderr
