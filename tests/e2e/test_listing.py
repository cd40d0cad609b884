"""What can be exported, and how much it would be."""

import pytest

from support.database import order
from support.exports import IN_RANGE, RANGE, Export, series, sleeps_at
from support.poll import poll_until
from support.problems import check_private, check_problem

SEPTEMBER = "from=2025-09-01&to=2025-10-01"


def listed(service, name):
    answer = service.get("/exports")
    assert answer.status == 200
    [entry] = [each for each in answer.json()["exports"] if each["name"] == name]
    return entry


def test_the_list(service):
    own = service()
    answer = own.get("/exports")
    assert answer["Content-Type"].startswith("application/json")
    check_private(answer)
    orders = listed(own, "orders")
    assert orders["title"] == "Orders"
    assert orders["href"].split("?")[0].split("{")[0] == "/exports/orders.csv"
    assert (orders["time_zone"], orders["locale"]) == ("Europe/London", "en-GB")
    assert orders["columns"] == ["id", "customer", "email", "total", "created_at"]
    assert orders["max_range_days"] == 366
    assert orders["stream_row_limit"] == 500_000


def test_the_list_follows_the_configuration(service):
    export = Export(f"SELECT 1 AS a, 2 AS b WHERE {IN_RANGE}", title='Überweisungen "neu"', time_zone="Asia/Tokyo",
                    max_range="31d", columns=[{"name": "b", "heading": "Amount, GBP"}],
                    settings={"stream_row_limit": 7})
    entry = listed(service(exports={"transfers": export}), "transfers")
    assert entry["title"] == 'Überweisungen "neu"'
    assert (entry["time_zone"], entry["max_range_days"], entry["stream_row_limit"]) == ("Asia/Tokyo", 31, 7)
    assert entry["columns"] == ["Amount, GBP"]


def test_the_row_limit_in_the_list_is_the_one_in_force(service):
    assert listed(service(EXPORTD_LIMITS_STREAM_ROW_LIMIT="42"), "orders")["stream_row_limit"] == 42


def test_an_export_without_columns_lists_those_of_its_query(service):
    own = service(exports={"plain": Export(f"SELECT 1 AS x, 'a'::text AS y WHERE {IN_RANGE}")})
    assert listed(own, "plain")["columns"] == ["x", "y"]


def test_the_list_shows_no_sql(service):
    text = service().get("/exports").text
    assert "SELECT" not in text and "created_at >=" not in text and ".sql" not in text


def test_every_listed_export_can_be_fetched(service):
    own = service()
    for entry in own.get("/exports").json()["exports"]:
        assert own.get(f"{entry['href'].split('{')[0].split('?')[0]}?{RANGE}").status == 200


def test_an_estimate_of_few_rows(service, database):
    database.replace_orders([order(f"2025-09-{day:02}T12:00:00Z") for day in range(1, 31)])
    own = service()
    answer = own.get(f"/exports/orders/estimate?{SEPTEMBER}")
    assert answer.status == 200
    check_private(answer)
    estimate = answer.json()
    assert estimate["delivery"] == "stream"
    assert estimate["rows"] == 30 if estimate["exact"] else 1 <= estimate["rows"] <= 300
    size = len(own.get(f"/exports/orders.csv?{SEPTEMBER}").body)
    assert size / 10 < estimate["bytes"] < size * 10


def test_an_estimate_of_no_rows(service, database):
    database.replace_orders([])
    estimate = service().get(f"/exports/orders/estimate?{SEPTEMBER}").json()
    assert (estimate["rows"] < 10, estimate["delivery"]) == (True, "stream")


@pytest.mark.parametrize("limit, delivery", [("10", "stream"), ("9", "job")])
def test_an_estimate_says_what_the_export_would(service, limit, delivery):
    own = service(exports={"ten": series(10, "n")}, EXPORTD_LIMITS_STREAM_ROW_LIMIT=limit)
    assert own.get(f"/exports/ten/estimate?{RANGE}").json()["delivery"] == delivery
    assert own.get(f"/exports/ten.csv?{RANGE}").status == (200 if delivery == "stream" else 422)


def test_an_estimate_of_too_many_is_a_job(service, many_orders):
    many = Export("SELECT id FROM many_orders WHERE created_at >= $1 AND created_at < $2 ORDER BY created_at, id")
    own = service(exports={"many": many})
    estimate = own.get("/exports/many/estimate?from=2025-09-01&to=2025-10-02").json()
    assert estimate["delivery"] == "job"
    assert estimate["rows"] > 400_000
    assert own.get("/exports/many/estimate?from=2025-09-01&to=2025-10-01").json()["delivery"] == "stream"


@pytest.mark.parametrize("query, code, parameter", [
    ("", "missing_parameter", "from"),
    ("from=2025-09-01", "missing_parameter", "to"),
    ("from=2025-9-1&to=2025-10-01", "invalid_parameter", "from"),
    ("from=2025-09-01&to=2025-10-01&x=1", "unknown_parameter", "x"),
    ("from=2025-09-01&to=2025-10-01&to=2025-10-01", "repeated_parameter", "to"),
    ("from=2025-09-01&to=2025-09-01", "invalid_range", None),
    ("from=2020-09-01&to=2025-09-01", "range_too_long", None),
])
def test_an_estimate_is_as_strict_as_the_export(service, query, code, parameter):
    check_problem(service().get(f"/exports/orders/estimate?{query}"), 400, code, parameter)


def test_an_estimate_of_what_is_not_there_is_404(service):
    check_problem(service().get(f"/exports/nothing/estimate?{RANGE}"), 404, "not_found")


def test_an_estimate_of_a_query_that_takes_long_does_not_run_on(service, database):
    own = service(exports={"late": sleeps_at(1, 10, 60)}, EXPORTD_LIMITS_FIRST_ROW_TIMEOUT="1s")
    with own.connect() as connection:
        connection.request(f"/exports/late/estimate?{RANGE}")
        assert connection.response().status in (200, 504)
    poll_until(lambda: not database.busy(), 2, "the backend idle")


def test_the_page_holds_no_data_and_no_mark_of_anybody(service):
    answer = service().get("/")
    assert answer.status == 200
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert (answer["Cache-Control"], answer.get("Set-Cookie")) == ("no-cache", None)
