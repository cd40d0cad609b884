"""What happens to the database as a whole: restarts, crashes, failover, replay, poolers, TLS."""

import os
import shutil
import signal

import psycopg2
import pytest

from support.cluster import Cluster, PgBouncer, binaries
from support.exports import IN_RANGE, RANGE, WIDE, Export, series, wide_body
from support.poll import poll_until
from support.problems import check_problem
from support.wire import WHOLE

pytestmark = pytest.mark.skipif(binaries() is None, reason="no PostgreSQL server is installed here")

ROWS = 100_000
BIG, SMALL = f"/exports/wide.csv?{RANGE}", f"/exports/small.csv?{RANGE}"
EXPORTS = {"wide": series(ROWS, WIDE), "small": series(3, "n")}
SMALL_BODY = b"n\n1\n2\n3\n"


@pytest.fixture(scope="module")
def cluster():
    own = Cluster()
    yield own
    own.remove()


def half_read(own):
    """A large export of which the head and a bit have been read."""
    connection, answer = own.start_export(BIG)
    assert answer.status == 200
    connection.take(100_000)
    return connection, answer


def assert_broken(connection, answer):
    answer = connection.body_of(answer)
    assert answer.ended != WHOLE
    assert wide_body(ROWS).startswith(answer.body)


def right_again(own, deadline=20):
    poll_until(lambda: own.get(SMALL).body == SMALL_BODY, deadline, "an export that is right")
    answer = own.get(BIG)
    assert (answer.ended, answer.body) == (WHOLE, wide_body(ROWS))


def nothing_left(server):
    """No other connection is in a transaction."""
    poll_until(lambda: not server.execute("SELECT 1 FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                                          "AND xact_start IS NOT NULL AND backend_type = 'client backend'"),
               5, "no transaction")


def test_an_immediate_restart_breaks_what_runs_and_no_more(service, cluster):
    own = service(exports=EXPORTS, database_url=cluster.url())
    running = [half_read(own) for _ in range(3)]
    cluster.stop("immediate")
    for connection, answer in running:
        assert_broken(connection, answer)
    check_problem(own.get(SMALL), 503, "database_unavailable")
    cluster.start()
    right_again(own)
    nothing_left(cluster)


def test_a_crash_breaks_what_runs_and_no_more(service, cluster):
    """One backend killed makes the server end all of them and recover."""
    own = service(exports=EXPORTS, database_url=cluster.url())
    connection, answer = half_read(own)
    victim = cluster.execute("SELECT pid FROM pg_stat_activity WHERE query LIKE 'FETCH%' OR query LIKE 'DECLARE%'")
    os.kill(victim[0][0], signal.SIGKILL)
    assert_broken(connection, answer)
    right_again(own)
    nothing_left(cluster)


def test_no_free_connection_is_a_503_until_there_is_one(service, cluster):
    held = []
    try:
        with pytest.raises(psycopg2.OperationalError):
            while True:
                held.append(cluster.connect())
        own = service(exports=EXPORTS, database_url=cluster.url())
        check_problem(own.get(SMALL), 503, "database_unavailable")
        assert "too many clients" in own.event("database_unavailable")["cause"]
    finally:
        for each in held:
            each.close()
    right_again(own)


def test_after_a_failover_exports_come_from_the_new_primary(service):
    primary = Cluster()
    standby = Cluster(primary=primary)
    try:
        primary.execute("CREATE TABLE place AS SELECT 1 AS n")
        standby.caught_up(primary)
        both = (f"postgresql://postgres:a%20word%20for%20tests@127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
                "/postgres?target_session_attrs=read-write")
        where = Export(f"SELECT n, inet_server_port() AS port FROM place WHERE {IN_RANGE}")
        own = service(exports={**EXPORTS, "where": where}, database_url=both)
        assert own.get(f"/exports/where.csv?{RANGE}").body == f"n,port\n1,{primary.port}\n".encode()
        connection, answer = half_read(own)
        primary.stop("immediate")
        assert_broken(connection, answer)
        standby.promote()
        right_again(own)
        assert own.get(f"/exports/where.csv?{RANGE}").body == f"n,port\n1,{standby.port}\n".encode()
    finally:
        standby.remove()
        primary.remove()


def test_what_a_standby_cancels_to_replay_is_broken(service):
    primary = Cluster()
    standby = Cluster(primary=primary)
    try:
        primary.execute(f"CREATE TABLE filler AS SELECT {WIDE} FROM generate_series(1, {ROWS}) n")
        standby.caught_up(primary)
        filler = Export(f"SELECT n, filler FROM filler WHERE {IN_RANGE} ORDER BY n")
        own = service(exports={**EXPORTS, "wide": filler}, database_url=standby.url())
        connection, answer = half_read(own)
        # The replay needs a lock that the running export's cursor is in the way of.
        primary.execute("ALTER TABLE filler ADD COLUMN more int")
        nothing_left(standby)
        assert_broken(connection, answer)
        right_again(own)
    finally:
        standby.remove()
        primary.remove()


@pytest.mark.skipif(shutil.which("pgbouncer") is None, reason="PgBouncer is not installed")
@pytest.mark.parametrize("mode", ["session", "transaction"])
def test_behind_pgbouncer_exports_are_whole_and_its_end_is_seen(service, cluster, mode):
    bouncer = PgBouncer(cluster, mode)
    try:
        own = service(exports=EXPORTS, database_url=cluster.url(port=bouncer.port), EXPORTD_DATABASE_POOL_SIZE="2")
        for _ in range(3):
            right_again(own)
        nothing_left(cluster)
        connection, answer = half_read(own)
        bouncer.kill()
        assert_broken(connection, answer)
        check_problem(own.get(SMALL), 503, "database_unavailable")
        nothing_left(cluster)
    finally:
        bouncer.remove()


@pytest.mark.parametrize("mode", ["verify-full", "require"])
def test_over_tls_with_scram(service, authority, mode):
    server = Cluster(authority=authority)
    try:
        trusted = server.url(sslmode=mode, sslrootcert=authority.ca_file).replace("127.0.0.1", "localhost")
        own = service(exports=EXPORTS, database_url=trusted)
        right_again(own)
        encrypted = server.execute("SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                                   "WHERE backend_type = 'client backend'")
        assert encrypted == [(True,)]
        connection, answer = half_read(own)
        server.stop("immediate")
        assert_broken(connection, answer)
        server.start()
        right_again(own)
    finally:
        server.remove()


def test_a_wrong_password_is_a_503_that_tells_the_log_alone(service, cluster):
    own = service(exports=EXPORTS, database_url=cluster.url().replace("a%20word", "another%20word"))
    answer = own.get(SMALL)
    check_problem(answer, 503, "database_unavailable")
    assert b"password" not in answer.body
    assert "password authentication failed" in own.event("database_unavailable")["cause"]
    assert "another" not in own.log_text
