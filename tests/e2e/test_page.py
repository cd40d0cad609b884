"""The page for staff, in a real browser."""

import base64
import hashlib
import functools
import json
import pathlib
import re
import shutil
import subprocess

import pytest

from support import npm
from support.access import tokens
from support.exports import Export, fails_at, series
from support.service import SOURCE
from support.wire import Connection

NODE = SOURCE / "tests" / "e2e" / "browser"
BUILT = SOURCE / "build" / "tests" / "browser"
CHROMIUM = "/usr/bin/chromium"
RANGE = "from=2025-09-01&to=2025-10-01"

pytestmark = pytest.mark.skipif(not pathlib.Path(CHROMIUM).exists(), reason="no Chromium here")


@pytest.fixture(scope="module", autouse=True)
def packages():
    npm.install(NODE, BUILT)


@pytest.fixture
def service(service):
    """A browser keeps the machine busy: the service is not to mind."""
    return functools.partial(service, EXPORTD_LOOP_MAX_DELAY="1m")


def browse(own, scenario, **settings):
    """What the scenario saw; no script may have failed, and nothing come from elsewhere."""
    asked = {"url": own.url(""), "chromium": CHROMIUM, **settings}
    done = subprocess.run(["node", str(BUILT / "scenarios.mjs"), scenario], input=json.dumps(asked),
                          capture_output=True, text=True, timeout=55)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen.pop("faults") == []
    return seen


@pytest.mark.parametrize("plain", [False, True])
def test_a_download_is_byte_for_byte_what_curl_gets(service, database, plain):
    database.fill_orders(5_000)
    own = service()
    seen = browse(own, "download", export="orders", plain=plain)
    same = own.get(f"/exports/orders.csv?{RANGE}" + ("" if plain else "&excel=1")).body
    assert base64.b64decode(seen["text"]) == same
    assert seen["name"] == "orders_2025-09-01_2025-10-01.csv"
    assert seen["expected"].startswith("1 Sept 2025 – 30 Sept 2025: 5,000 rows, about ")
    assert seen["note"].startswith("Complete: 5,000 rows, ")
    assert "Complete: 5,000 rows" in seen["recent"] and "1 Sept 2025 – 30 Sept 2025" in seen["recent"]


def test_a_download_that_breaks_half_way_says_so(service):
    own = service(exports={"bad": fails_at(50_000, 200_000)}, EXPORTD_LIMITS_COUNT_TIMEOUT="1ms")
    seen = browse(own, "broken", export="bad")
    assert seen["failure"] is not None  # the browser's own word
    assert seen["note"].startswith("Broken: delete this file.")
    assert "The database could not finish this export." in seen["note"]
    assert seen["violations"] == []


def test_a_download_that_is_refused_leaves_no_file_and_a_reason(service):
    own = service(exports={"bad": fails_at(1, 10)})
    seen = browse(own, "refused", export="bad", unknown=True)
    assert seen["note"].startswith("There is no file.")
    assert "The database could not finish this export." in seen["note"]


def test_presets_are_whole_periods_of_the_exports_zone(service):
    """Half past eleven at night on 31 December in London, which is another day elsewhere."""
    own = service(exports={"kiritimati": Export(series(3, "n").sql, settings={"time_zone": "Pacific/Kiritimati"})})
    seen = browse(own, "presets", now="2025-12-31T23:30:00Z")
    # The first export by name is in Kiritimati, where it is 1 January already.
    assert "Pacific/Kiritimati" in seen["zone"]
    assert seen["days"] == {
        "This month": ["2026-01-01", "2026-01-31"], "Last month": ["2025-12-01", "2025-12-31"],
        "This quarter": ["2026-01-01", "2026-03-31"], "Last quarter": ["2025-10-01", "2025-12-31"],
        "This year": ["2026-01-01", "2026-12-31"], "Last year": ["2025-01-01", "2025-12-31"]}
    assert seen["pressed"] == ["Last year"]


def test_what_is_too_large_is_prepared_in_the_background(service, jobs):
    own = service(exports={"big": series(2_000, "n")}, EXPORTD_LIMITS_STREAM_ROW_LIMIT="1000", **jobs.settings)
    seen = browse(own, "job", export="big")
    assert seen["direct"]
    assert seen["note"].startswith("It is being prepared.")
    assert "Ready" in seen["row"] and "2,000 rows" in seen["row"]
    job_id = own.get("/jobs").json()["jobs"][0]["id"]
    assert base64.b64decode(seen["text"]) == own.get(f"/jobs/{job_id}/file").body
    assert seen["violations"] == []


def test_a_job_can_be_cancelled(service, jobs):
    slow = Export("SELECT n, pg_sleep(0.01)::text AS s FROM generate_series(1, 100000) n WHERE $1 < $2")
    own = service(exports={"slow": slow}, EXPORTD_LIMITS_COUNT_TIMEOUT="50ms", **jobs.settings)
    assert "Cancelled" in browse(own, "cancel", export="slow", slow=True)["row"]


def test_the_report_has_its_figures_charts_and_pages(service, database):
    database.fill_orders(5_000)
    own = service()
    seen = browse(own, "report", export="orders")
    answer = own.curl("-X", "POST", "-H", "Content-Type: application/json", "-d",
                      '{"from":"2025-09-01","to":"2025-10-01"}', own.url("/exports/quarterly-report"))
    first = json.loads(answer.stdout)["currencies"][0]
    for figure in ("gross", "refunds", "net", "average", "median", "largest"):
        assert first[figure]["formatted"] in seen["totals"], figure
    assert f"{first['orders']:,}" in seen["totals"]
    assert seen["charts"] == 4 * len(json.loads(answer.stdout)["currencies"])
    assert first["net"]["formatted"] in seen["bars"]
    assert base64.b64decode(seen["text"]).startswith(b"%PDF-")
    assert seen["name"] == "orders-report_2025-09-01_2025-10-01.pdf"
    assert seen["violations"] == []


def test_nothing_is_in_the_way_of_people(service, database):
    """axe-core in light, dark and on a phone, where nothing is wider than the screen."""
    database.fill_orders(100)
    for name, seen in browse(service(), "accessible").items():
        assert (seen["violations"], seen["wide"]) == ([], 0), name


def test_the_keyboard_is_enough(service, database):
    database.fill_orders(100)
    seen = browse(service(), "keyboard", export="orders")
    for stop in ("export", "This month", "first", "last", "download"):
        assert stop in seen["passed"], stop
    assert seen["name"] == "orders_2025-09-01_2025-10-01.csv"


def test_markup_in_a_title_stays_text(service):
    title = "<img src=x onerror=alert(1)> & more"
    own = service(exports={"a": Export(series(3, "n").sql, settings={"title": title})})
    assert browse(own, "markup") == {"title": title, "images": 0}


def test_signing_in_and_out(service, tmp_path):
    token = "xpd_" + "a" * 43
    entry = (f'[[tokens]]\nname = "anna"\nsha256 = "{hashlib.sha256(token.encode()).hexdigest()}"\n'
             'exports = ["orders"]\n')
    own = service(**tokens(tmp_path, entry))
    seen = browse(own, "signs", token=token)
    assert seen["form"].endswith("/sign-in?next=%2Fexports")
    assert seen["wrong"].startswith("This token is not valid here")
    assert (seen["name"], seen["offered"]) == ("anna", ["Orders"])
    assert seen["after"].endswith("/sign-in?next=%2F")
    assert seen["violations"] == []


def test_the_page_and_its_files_are_bound_to_this_service(service):
    own = service()
    page = own.get("/")
    assert page.status == 200 and page["Content-Type"] == "text/html; charset=utf-8"
    policy = page["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy and "http" not in policy
    assert (page["Referrer-Policy"], page["X-Frame-Options"]) == ("same-origin", "SAMEORIGIN")
    assert "style=" not in page.text and "onclick" not in page.text
    again = own.get("/", fields={"If-None-Match": page["ETag"]})
    assert (again.status, again.body) == (304, b"")
    for name, kind in (("app.js", "text/javascript"), ("page.css", "text/css"), ("icon.svg", "image/svg+xml")):
        assert own.get(f"/page/{name}")["Content-Type"].startswith(kind)
    for wrong in ("/page/nothing.js", "/page/..%2F..%2Fetc%2Fpasswd", "/page/"):
        assert own.get(wrong).status == 404


def test_the_browser_is_here():
    assert shutil.which("chromium") == CHROMIUM


def test_the_interface_is_described_as_it_is(service):
    """openapi.json has every route that the metrics name, and no other."""
    own = service()
    described = own.get("/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    with Connection(own.ops_port) as connection:
        lines = connection.get("/metrics").text.splitlines()
    routes = {line.split('route="')[1].split('"')[0] for line in lines
              if line.startswith("exportd_http_requests_total{")} - {"other"}
    assert {re.sub(r"\{\w+\}", "{}", path) for path in described["paths"]} == routes
    for path, methods in described["paths"].items():
        named = {p["name"] for m in methods.values() for p in m.get("parameters", []) if p["in"] == "path"}
        assert named == set(re.findall(r"\{(\w+)\}", path)), path
    text = own.get("/openapi.json").text
    for reference in re.findall(r'"#/components/(\w+)/(\w+)"', text):
        assert reference[1] in described["components"][reference[0]]
