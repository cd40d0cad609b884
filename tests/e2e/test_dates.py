"""Instants: which range they fall in, and how they print (cases 26 to 30)."""

import pytest

from support.database import order
from support.exports import IN_RANGE, RANGE, Export, values_export
from support.problems import check_problem
from support.rfc4180 import read_rectangle


def ids(service, from_, to, name="orders"):
    answer = service.get(f"/exports/{name}.csv?from={from_}&to={to}")
    assert answer.status == 200, answer
    return [int(record[0]) for record in read_rectangle(answer.body)[1:]]


MONTHS = [f"2025-{month:02}-01" for month in range(1, 13)] + ["2026-01-01"]


def test_the_end_of_a_month_belongs_to_the_next(service, database):
    database.replace_orders([order("2025-09-30T00:00:00 Europe/London"),
                             order("2025-09-30T23:59:59.999999 Europe/London"),
                             order("2025-10-01T00:00:00 Europe/London")])
    own = service()
    assert ids(own, "2025-09-01", "2025-10-01") == [1, 2]
    assert ids(own, "2025-10-01", "2025-11-01") == [3]
    assert ids(own, "2025-09-30", "2025-10-01") == [1, 2]


def test_every_order_is_in_exactly_one_month_and_one_quarter(service, database):
    database.fill_orders(4_400, start="2024-12-31T12:00:00Z", step="2 hours")
    own = service()
    months = [ids(own, *pair) for pair in zip(MONTHS, MONTHS[1:])]
    quarters = [ids(own, *pair) for pair in zip(MONTHS[::3], MONTHS[3::3])]
    year = ids(own, "2025-01-01", "2026-01-01")
    assert sum(months, []) == sum(quarters, []) == year
    assert len(year) == len(set(year)) == 4_380


@pytest.mark.parametrize("instant, day, next_day", [
    ("2025-08-31T23:30:00Z", "2025-09-01", "2025-09-02"),
    ("2025-08-31T22:59:59.999999Z", "2025-08-31", "2025-09-01"),
    ("2025-08-31T23:00:00Z", "2025-09-01", "2025-09-02"),
    ("2025-01-31T23:59:59.999999Z", "2025-01-31", "2025-02-01"),
    ("2025-03-30T00:00:00Z", "2025-03-30", "2025-03-31"),
    ("2025-03-30T22:59:59Z", "2025-03-30", "2025-03-31"),
    ("2025-10-25T23:00:00Z", "2025-10-26", "2025-10-27"),
    ("2025-10-26T23:59:59Z", "2025-10-26", "2025-10-27"),
    ("1970-06-01T00:00:00+01:00", "1970-06-01", "1970-06-02"),
])
def test_the_day_is_londons(service, database, instant, day, next_day):
    database.replace_orders([order(instant)])
    own = service()
    assert ids(own, day, next_day) == [1]
    assert ids(own, next_day, "2025-12-31" if day > "2025" else "1971-01-01") == []


def test_the_third_quarter_begins_at_londons_midnight(service, database):
    database.replace_orders([order("2025-06-30T23:30:00Z"), order("2025-06-30T22:59:59Z")])
    own = service()
    assert ids(own, "2025-07-01", "2025-10-01") == [1]
    assert ids(own, "2025-04-01", "2025-07-01") == [2]


@pytest.mark.parametrize("day, next_day, hours", [
    ("2025-03-30", "2025-03-31", 23), ("2025-10-26", "2025-10-27", 25), ("2025-06-01", "2025-06-02", 24)])
def test_a_day_has_all_its_hours(service, database, day, next_day, hours):
    database.fill_orders(60 * 24 * 3, start=f"{day}T00:00:00Z", step="1 minute")
    database.execute("UPDATE orders SET created_at = created_at - interval '1 day'")
    assert len(ids(service(), day, next_day)) == hours * 60


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/St_Johns", "UTC"])
def test_the_roles_time_zone_changes_nothing(service, database, zone):
    database.replace_orders([order("2025-08-31T23:30:00Z"), order("2025-09-30T23:30:00Z")])
    plain = service()
    odd = service(database_url=database.role(TimeZone=zone))
    for query in ("from=2025-09-01&to=2025-10-01", "from=2025-09-01&to=2025-10-01&values=raw"):
        target = f"/exports/orders.csv?{query}"
        assert plain.get(target).body == odd.get(target).body
    assert ids(odd, "2025-09-01", "2025-10-01") == [1]


ACCEPTED = [
    ("2025-09-01T00:00:00%2B01:00", "2025-08-31T23:00:00"),
    ("2025-09-01T00:00:00+01:00", "2025-08-31T23:00:00"),
    ("2025-09-01T00:00:00%2b01:00", "2025-08-31T23:00:00"),
    ("2025-09-01T00:00:00%2001:00", "2025-08-31T23:00:00"),
    ("2025-09-01T00:00:00Z", "2025-09-01T00:00:00"),
    ("2025-09-01T00:00:00-03:30", "2025-09-01T03:30:00"),
    ("2025-09-01T00:00:00.5Z", "2025-09-01T00:00:00.5"),
    ("2025-09-01T00:00:00.123456Z", "2025-09-01T00:00:00.123456"),
    ("2025-09-01T00%3A00%3A00Z", "2025-09-01T00:00:00"),
    ("2025-09-01t00:00:00z", "2025-09-01T00:00:00"),
    ("2025-09-01T00:00:00-00:00", "2025-09-01T00:00:00"),
    ("2025-09-01", "2025-08-31T23:00:00"),
    ("2025-01-15", "2025-01-15T00:00:00"),
]


def test_a_range_can_be_given_in_these_forms(service, database):
    own = service()
    for text, instant in ACCEPTED:
        database.replace_orders([order(f"{instant}Z"), order("2025-01-01T00:00:00Z"), order("2025-09-03T00:00:00Z")])
        database.execute("UPDATE orders SET created_at = %s::timestamptz - interval '1 microsecond' WHERE id = 2",
                         (instant + "Z",))
        assert ids(own, text, "2025-09-02") == [1], text
    database.replace_orders([order("2025-09-01T00:00:00Z")])
    assert ids(own, "2025-08-31", "2025-09-01T00:00:00Z") == []
    assert ids(own, "2025-08-31", "2025-09-01T01:00:00.000001%2B01:00") == [1]


REFUSED = ["01/09/2025", "2025-9-1", "2025-02-30", "20250901", "", "2025-13-01", "2025-00-10", "2025-01-00",
           "2025-02-29", "2025-04-31", "yesterday", "now", "today", "infinity", "-infinity", "epoch", "2025", "2025-09",
           "2025-09-01T", "2025-09-01T00", "2025-09-01T00:00Z", "2025-09-01T00:00:00", "2025-09-01T24:00:00Z",
           "2025-09-01T23:60:00Z", "2025-09-01T00:00:61Z", "2025-09-01T00:00:00%2B1:00", "2025-09-01T00:00:00%2B0100",
           "2025-09-01T00:00:00%2B24:00", "2025-09-01T00:00:00%2B01:60", "2025-09-01T00:00:00.Z",
           "2025-09-01T00:00:00ZZ", "2025-09-01Z", "%202025-09-01", "2025-09-01%20", "2025-09-01%0A", "2025-09-01%00",
           "2025-09-01%0D%0ASet-Cookie:x", "%EF%BC%92025-09-01", "+2025-09-01", "-2025-09-01", "02025-09-01",
           "2025-09-1", "2025-W36-1", "2025-244", "1756684800", "1e3", "NaN", "null", "2025%2D09%2D1",
           "2025-09-01;2025-09-02", "'2025-09-01'", "2025-09-01--", "294276-12-31", "10000-01-01", "0000-00-00",
           "%D9%A2%D9%A0%D9%A2%D9%A5-%D9%A0%D9%A9-%D9%A0%D9%A1", "2025%E2%80%9309%E2%80%9301",
           "2025-09-01T00:00:00Europe/London", "2025-09-01%2000:00"]


@pytest.mark.parametrize("parameter", ["from", "to"])
def test_other_forms_are_400_and_name_the_parameter(service, parameter):
    own = service()
    for text in REFUSED:
        good = "2025-09-02" if parameter == "from" else "2025-08-31"
        query = f"from={text}&to={good}" if parameter == "from" else f"from={good}&to={text}"
        answer = own.get(f"/exports/orders.csv?{query}")
        assert answer.status == 400, (text, answer)
        code = "invalid_parameter" if text else answer.json()["code"]
        check_problem(answer, 400, code, parameter)
    assert not own.events("export_started")


@pytest.mark.parametrize("query, parameter", [
    ("", "from"), ("to=2025-09-01", "from"), ("from=2025-09-01", "to")])
def test_a_missing_date_is_400_and_names_the_parameter(service, query, parameter):
    check_problem(service().get(f"/exports/orders.csv?{query}"), 400, "missing_parameter", parameter)


@pytest.mark.parametrize("from_, to, code", [
    ("2025-10-01", "2025-09-01", "invalid_range"),
    ("2025-09-01", "2025-09-01", "invalid_range"),
    ("2025-09-01T00:00:00Z", "2025-09-01T01:00:00%2B01:00", "invalid_range"),
    ("2025-09-01", "2025-08-31T23:00:00Z", "invalid_range"),
    ("2024-01-01", "2025-09-01", "range_too_long"),
    ("0001-01-01", "9999-12-31", "range_too_long"),
    ("2024-01-01", "2025-01-01T00:00:00.000001Z", "range_too_long"),
])
def test_a_wrong_range_is_400_and_sends_no_query(service, database, from_, to, code):
    own = service()
    check_problem(own.get(f"/exports/orders.csv?from={from_}&to={to}"), 400, code)
    assert not own.events("export_started")


@pytest.mark.parametrize("from_, to", [("2024-01-01", "2025-01-01"), ("2023-10-26", "2024-10-26")])
def test_the_longest_range_is_allowed(service, database, from_, to):
    database.replace_orders([])
    assert ids(service(), from_, to) == []


def test_max_range_is_in_days_of_the_calendar_or_24_hours_but_never_shorter(service):
    export = Export(f"SELECT 1 AS n WHERE {IN_RANGE}", max_range="31d")
    own = service(exports={"month": export})
    assert ids(own, "2025-10-01", "2025-11-01", "month") == [1], "31 days with the 25-hour day"
    assert ids(own, "2025-03-01", "2025-04-01", "month") == [1]
    answer = own.get("/exports/month.csv?from=2025-07-01&to=2025-08-02")
    check_problem(answer, 400, "range_too_long")


@pytest.mark.parametrize("instant, printed", [
    ("2024-12-30T12:00:00Z", "30/12/2024, 12:00:00"),
    ("2024-12-31T23:59:59.999999Z", "31/12/2024, 23:59:59"),
    ("2021-01-03T00:00:00Z", "03/01/2021, 00:00:00"),
    ("2025-01-01T00:00:00Z", "01/01/2025, 00:00:00"),
    ("2025-08-31T23:00:00Z", "01/09/2025, 00:00:00"),
    ("2025-08-31T11:00:00Z", "31/08/2025, 12:00:00"),
    ("2025-10-26T00:30:00Z", "26/10/2025, 01:30:00"),
    ("2025-10-26T01:30:00Z", "26/10/2025, 01:30:00"),
    ("2025-03-30T00:59:59Z", "30/03/2025, 00:59:59"),
    ("2025-03-30T01:00:00Z", "30/03/2025, 02:00:00"),
    ("1969-12-31T23:59:59Z", "01/01/1970, 00:59:59"),
    ("1969-12-31T22:59:59.5Z", "31/12/1969, 23:59:59"),
    ("1968-06-01T00:00:00Z", "01/06/1968, 01:00:00"),
    ("1847-11-30T12:00:00Z", "30/11/1847, 11:58:45"),
    ("1582-10-10T00:00:00Z", "09/10/1582, 23:58:45"),
    ("9999-12-31T23:59:59Z", "31/12/9999, 23:59:59"),
    ("2024-02-29T12:00:00Z", "29/02/2024, 12:00:00"),
    ("2000-02-29T12:00:00Z", "29/02/2000, 12:00:00"),
    ("1900-03-01T00:00:00Z", "01/03/1900, 00:00:00"),
    ("2038-01-19T03:14:08Z", "19/01/2038, 03:14:08"),
    ("2050-07-01T12:00:00Z", "01/07/2050, 13:00:00"),
])
def test_an_instant_prints_like_intl(instants, instant, printed):
    assert instants([instant]) == [printed]


@pytest.fixture
def instants(service, database):
    def fetch(values, query="", kind="timestamptz", **settings):
        export = values_export(database, {"at": kind}, [(value,) for value in values], **settings)
        answer = service(exports={"at": export}).get(f"/exports/at.csv?{RANGE}{query}")
        assert answer.status == 200, answer
        return [record[0] for record in read_rectangle(answer.body)[1:]]
    return fetch


def test_one_order_a_month_pins_all_twelve(instants):
    assert instants([f"2025-{month:02}-15T12:00:00Z" for month in range(1, 13)]) == [
        "15/01/2025, 12:00:00", "15/02/2025, 12:00:00", "15/03/2025, 12:00:00", "15/04/2025, 13:00:00",
        "15/05/2025, 13:00:00", "15/06/2025, 13:00:00", "15/07/2025, 13:00:00", "15/08/2025, 13:00:00",
        "15/09/2025, 13:00:00", "15/10/2025, 13:00:00", "15/11/2025, 12:00:00", "15/12/2025, 12:00:00"]


def test_every_hour_of_a_day(instants):
    assert instants([f"2025-01-15T{hour:02}:05:09Z" for hour in range(24)]) == [
        f"15/01/2025, {hour:02}:05:09" for hour in range(24)]


def test_instants_at_the_edges_of_time(instants):
    assert instants(["infinity", "-infinity"]) == ["infinity", "-infinity"]
    assert instants(["infinity", "-infinity"], "&values=raw") == ["infinity", "-infinity"]


def test_raw_tells_the_doubled_hour_apart(instants):
    assert instants(["2025-10-26T00:30:00Z", "2025-10-26T01:30:00Z"], "&values=raw") == [
        "2025-10-26T00:30:00.000000Z", "2025-10-26T01:30:00.000000Z"]


@pytest.mark.parametrize("instant, raw", [
    ("2025-09-01T00:00:00.123456+01:00", "2025-08-31T23:00:00.123456Z"),
    ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
    ("1999-12-31T23:59:59.999999Z", "1999-12-31T23:59:59.999999Z"),
    ("2000-01-01T00:00:00Z", "2000-01-01T00:00:00.000000Z"),
    ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
    ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
])
def test_raw_instants_are_iso_8601_utc_with_microseconds(instants, instant, raw):
    assert instants([instant], "&values=raw") == [raw]


def test_the_zone_is_the_exports_own(instants):
    assert instants(["2025-09-30T22:59:59Z"], time_zone="America/New_York") == ["30/09/2025, 18:59:59"]
    assert instants(["2025-09-30T22:59:59Z"], time_zone="Asia/Kathmandu") == ["01/10/2025, 04:44:59"]
    assert instants(["2025-09-30T22:59:59Z"], time_zone="UTC") == ["30/09/2025, 22:59:59"]


@pytest.mark.parametrize("zone, instant, printed", [
    ("America/Mexico_City", "2025-07-01T12:00:00Z", "01/07/2025, 06:00:00"),
    ("Asia/Almaty", "2025-07-01T12:00:00Z", "01/07/2025, 17:00:00"),
    ("Africa/Cairo", "2025-07-01T12:00:00Z", "01/07/2025, 15:00:00"),
])
def test_zone_rules_are_those_of_the_systems_tzdata(instants, zone, instant, printed):
    assert instants([instant], time_zone=zone) == [printed]


def test_days_are_those_of_the_exports_zone(service):
    export = Export("SELECT $1 AS since, $2 AS until", time_zone="America/New_York")
    own = service(exports={"bounds": export})
    body = own.get("/exports/bounds.csv?from=2025-03-09&to=2025-11-02&values=raw").text
    assert body == "since,until\n2025-03-09T05:00:00.000000Z,2025-11-02T04:00:00.000000Z\n"


def test_a_midnight_that_does_not_exist_begins_the_day_after_the_gap(service):
    export = Export("SELECT $1 AS since, $2 AS until", time_zone="America/Sao_Paulo")
    own = service(exports={"bounds": export})
    body = own.get("/exports/bounds.csv?from=2018-11-04&to=2018-11-05&values=raw").text
    assert body == "since,until\n2018-11-04T03:00:00.000000Z,2018-11-05T02:00:00.000000Z\n"


def test_a_midnight_that_comes_twice_begins_the_day_the_first_time(service):
    export = Export("SELECT $1 AS since, $2 AS until", time_zone="America/Havana")
    own = service(exports={"bounds": export})
    body = own.get("/exports/bounds.csv?from=2025-11-02&to=2025-11-03&values=raw").text
    assert body == "since,until\n2025-11-02T04:00:00.000000Z,2025-11-03T05:00:00.000000Z\n"


def test_export_range_tells_the_resolved_instants(service, database):
    database.replace_orders([])
    answer = service().get("/exports/orders.csv?from=2025-09-01&to=2025-10-01T00:00:00Z")
    assert "2025-08-31T23:00:00" in answer["Export-Range"]
    assert "2025-10-01T00:00:00" in answer["Export-Range"]


def test_a_raw_export_range_can_be_asked_for_again(service, database):
    """What values=raw prints for an instant is accepted as a bound."""
    database.replace_orders([order("2025-09-10T10:00:00.123456Z")])
    own = service()
    raw = own.get("/exports/orders.csv?from=2025-09-01&to=2025-10-01&values=raw")
    at = read_rectangle(raw.body)[1][5]
    assert at == "2025-09-10T10:00:00.123456Z"
    assert ids(own, at, "2025-10-01") == [1]
    assert ids(own, "2025-09-01", at) == []


def test_a_local_timestamp_has_no_zone(instants):
    assert instants(["2025-07-01 12:34:56.7"], kind="timestamp") == ["01/07/2025, 12:34:56"]
    raw = instants(["2025-07-01 12:34:56.7", "infinity"], "&values=raw", kind="timestamp")
    assert raw[0] in ("2025-07-01T12:34:56.700000", "2025-07-01 12:34:56.700000")
    assert raw[1] == "infinity"


def test_a_plain_date_prints_as_a_day(instants):
    assert instants(["2025-09-01", "2024-02-29", "infinity"], kind="date") == [
        "01/09/2025", "29/02/2024", "infinity"]
    assert instants(["2025-09-01", "0001-01-01", "-infinity"], "&values=raw", kind="date") == [
        "2025-09-01", "0001-01-01", "-infinity"]


def test_an_instant_can_be_shown_as_day_or_time(service, database):
    export = values_export(database, {"at": "timestamptz", "again": "timestamptz"},
                           [("2025-08-31T23:30:05Z", "2025-08-31T23:30:05Z")],
                           columns=[{"name": "at", "format": "date"}, {"name": "again", "format": "time"}])
    assert service(exports={"at": export}).get(f"/exports/at.csv?{RANGE}").text == "at,again\n01/09/2025,00:30:05\n"
