import faulthandler
import pathlib
import signal
import subprocess

import pytest

from support.database import MANY, ORDERS_TABLE, Database, server_url
from support.nginx import Nginx
from support.relay import Relay
from support.service import Config, Service

_SECONDS_A_TEST = 60


@pytest.fixture(autouse=True)
def time_limit(request):
    """A test that hangs fails instead; long ones have ten minutes."""
    def expire(*_):
        faulthandler.dump_traceback()
        raise TimeoutError("the test took too long")
    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(600 if request.node.get_closest_marker("long") else _SECONDS_A_TEST)
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

    def start(exports=None, database_url=None, wait=True, **overrides):
        own = Config(tmp_path / f"service{len(started)}", exports)
        started.append(Service(own, database_url or database.url, overrides, wait))
        return started[-1]

    yield start
    try:
        for each in started:
            each.stop()
    finally:
        for each in started:
            each.kill()


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
def slow_resolver(tmp_path_factory):
    """The path of a library to preload; see support/slow_resolver.c."""
    library = tmp_path_factory.mktemp("resolver") / "slow_resolver.so"
    source = pathlib.Path(__file__).parent / "support" / "slow_resolver.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    return library
