import faulthandler
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

from support import radosgw, wire
from support.certificates import Authority
from support.database import MANY, ORDERS_TABLE, Database, server_url
from support.jobs import Jobs
from support.nginx import Nginx
from support.readers import ReadBack
from support.relay import Relay
from support.service import Config, Service
from support.smtp import Greeting, Postfix, SmtpServer

_SECONDS_A_TEST = 60


def pytest_collection_modifyitems(items):
    """Tests of what the others have left come last."""
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


@pytest.fixture(scope="session", autouse=True)
def read_back(tmp_path_factory):
    """Every export that is read whole in this run; see support/readers.py."""
    own = ReadBack(tmp_path_factory.mktemp("read_back"))
    wire.on_answer.append(own.keep)
    yield own
    wire.on_answer.remove(own.keep)


@pytest.fixture(autouse=True)
def time_limit(request):
    """A test that hangs fails instead; long ones have ten minutes, or long(minutes=N)."""
    def expire(*_):
        faulthandler.dump_traceback()
        raise TimeoutError("the test took too long")
    before = signal.signal(signal.SIGALRM, expire)
    long = request.node.get_closest_marker("long")
    signal.alarm(60 * long.kwargs.get("minutes", 10) if long else _SECONDS_A_TEST)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def database():
    own = Database(server_url())
    try:
        yield own
    finally:
        own.drop()


@pytest.fixture(scope="session")
def many_orders(database):
    """The table many_orders: MANY orders in September 2025 (London) and one at its end."""
    database.execute(ORDERS_TABLE.format(name="many_orders"))
    database.execute(f"""
        INSERT INTO many_orders (customer_name, email, total, currency, created_at)
        SELECT 'Customer ' || n, 'c' || n || '@example.com', n % 100000 / 7.0, 'GBP',
               '2025-09-01T00:00:00+01:00'::timestamptz + (n - 1) * interval '5 seconds'
        FROM generate_series(1, {MANY}) n""")
    database.execute("""
        INSERT INTO many_orders (customer_name, email, total, currency, created_at)
        VALUES ('One More', 'one@example.com', 1, 'GBP', '2025-10-01T00:00:00+01:00')""")
    database.execute("CREATE INDEX ON many_orders (created_at, id)")
    database.execute("ANALYZE many_orders")


@pytest.fixture
def config(tmp_path):
    """A private copy of the configuration, for tests of the commands."""
    return Config(tmp_path / "own")


@pytest.fixture
def service(database, tmp_path):
    """Starts the service: service(exports={...}, EXPORTD_...="...") -> Service."""
    started = []

    def start(exports=None, database_url=None, wait=True, group=None, wrapper=(), slowdown=1, **overrides):
        own = Config(tmp_path / f"service{len(started)}", exports)
        started.append(Service(own, database_url or database.url, overrides, wait, group, wrapper, slowdown))
        return started[-1]

    yield start
    try:
        for each in started:
            each.stop()
    finally:
        for each in started:
            each.kill()


@pytest.fixture
def jobs(config, database, tmp_path):
    """A new job table and a directory for files: service(..., **jobs.settings)."""
    return Jobs(config, database, tmp_path / "files")


@pytest.fixture
def nginx(tmp_path):
    """Starts nginx in front of a service: nginx(service, "directives;") -> Nginx."""
    started = []

    def start(upstream, settings=""):
        started.append(Nginx(tmp_path / f"nginx{len(started)}", upstream.port, settings))
        return started[-1]

    yield start
    for each in started:
        each.stop()


@pytest.fixture
def relay(database):
    """A relay in front of the test database's server."""
    own = Relay(database.endpoint())
    yield own
    own.stop()


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """A certificate of localhost, and the one that vouches for it."""
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def object_store(authority):
    """A real S3 object store; see support/radosgw.py. Skipped where Ceph is not installed."""
    missing = [each for each in radosgw.PROGRAMS if shutil.which(each) is None]
    if missing:
        pytest.skip(f"no {', '.join(missing)} here")
    own = radosgw.RadosGateway(authority.certificate, authority.key)
    yield own
    own.stop()


@pytest.fixture
def smtp_server():
    """Starts scripted mail servers: smtp_server(authority=..., login=...) -> SmtpServer."""
    started = []

    def start(**options):
        started.append(SmtpServer(**options))
        return started[-1]

    yield start
    for each in started:
        each.stop()


@pytest.fixture
def greeting():
    """Starts mail servers that only greet: greeting("554 no") -> Greeting."""
    started = []

    def start(line=""):
        started.append(Greeting(line))
        return started[-1]

    yield start
    for each in started:
        each.stop()


@pytest.fixture(scope="module")
def postfix(authority):
    """A private postfix; see support/smtp.py. Needs root."""
    if os.geteuid() != 0 or shutil.which("postfix") is None:
        pytest.skip("postfix is not installed, or may not be started by this user")
    own = Postfix(authority)
    yield own
    own.stop()


@pytest.fixture(scope="session")
def slow_resolver(tmp_path_factory):
    """The path of a library to preload; see support/slow_resolver.c."""
    library = tmp_path_factory.mktemp("resolver") / "slow_resolver.so"
    source = pathlib.Path(__file__).parent / "support" / "slow_resolver.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    return library
