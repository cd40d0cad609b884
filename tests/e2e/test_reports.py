"""POST /exports/quarterly-report: the numbers, and what else a request may be answered (cases 14, 26, 27)."""

import os
import signal
import threading
from decimal import Context, Decimal, localcontext

import pytest

from support.database import order
from support.exports import RANGE, Export, values_export
from support.metrics import Metrics
from support.poll import poll_until
from support.problems import check_problem, check_private
from support.reports import (JSON, PDF, TARGET, ask_report, check_against_csv, raw, report, section, send_report)
from support.rfc4180 import read_rectangle

SEPTEMBER = {"from": "2025-09-01", "to": "2025-10-01"}


def sales(name="sales", sql=None, time_zone="Europe/London", columns="total currency created_at email", **keys):
    """An export with reports; `columns` are amount, currency, time and customer."""
    return Reportable(sql or """SELECT id, email, total, currency, created_at FROM orders
        WHERE created_at >= $1 AND created_at < $2 ORDER BY created_at, id""", columns.split(), keys, time_zone)


class Reportable(Export):
    def __init__(self, sql, names, keys, time_zone):
        super().__init__(sql, time_zone=time_zone)
        self.names, self.keys = names, keys

    def toml(self, name):
        lines = [f'{key} = "{column}"' for key, column in zip(("amount", "currency", "time", "customer"), self.names)]
        lines += [f'{key} = "{value}"' for key, value in self.keys.items()]
        return super().toml(name) + "[report]\n" + "\n".join(lines) + "\n"


# Known orders

KNOWN = [
    order("2025-09-01T09:15:00+01:00", email="a@example.com", total="100.00"),
    order("2025-09-01T09:45:00+01:00", email="b@example.com", total="0.01"),
    order("2025-09-14T23:59:59+01:00", email="a@example.com", total="-30.00"),
    order("2025-09-30T23:30:00+01:00", email="c@example.com", total="9999999999.99"),
    order("2025-09-15T12:00:00+01:00", email="a@example.com", total="1234.50", currency="JPY"),
    # In August, so that b is no new customer, and for the comparison.
    order("2025-08-31T23:59:59+01:00", email="b@example.com", total="50.00"),
    order("2025-08-10T12:00:00+01:00", email="z@example.com", total="7.00", currency="USD"),
]


def test_the_sums_of_known_orders(service, database):
    database.replace_orders(KNOWN)
    made = report(service(), **{"from_": "2025-09-01", "to": "2025-10-01"})
    assert (made["orders"], made["empty"], made["export"]) == (5, False, "orders")
    assert made["range"] == {"from": "2025-09-01", "to": "2025-10-01", "from_instant": "2025-08-31T23:00:00Z",
                             "to_instant": "2025-09-30T23:00:00Z", "days": 30}
    assert (made["time_zone"], made["locale"]) == ("Europe/London", "en-GB")
    gbp = section(made, "GBP")
    assert (gbp["orders"], gbp["refund_orders"]) == (4, 1)
    assert gbp["gross"] == {"raw": "10000000100.00", "formatted": "£10,000,000,100.00"}
    assert gbp["refunds"] == {"raw": "-30.00", "formatted": "-£30.00"}
    assert gbp["net"] == {"raw": "10000000070.00", "formatted": "£10,000,000,070.00"}
    assert gbp["average"] == {"raw": "2500000017.500000", "formatted": "£2,500,000,017.50"}
    assert gbp["median"] == {"raw": "50.005", "formatted": "£50.01"}
    assert gbp["largest"] == {"raw": "9999999999.99", "formatted": "£9,999,999,999.99"}
    assert section(made, "JPY")["net"] == {"raw": "1234.50", "formatted": "JP¥1,235"}


def test_months_weeks_days_and_hours_of_known_orders(service, database):
    database.replace_orders(KNOWN)
    gbp = section(report(service(), "2025-09-01", "2025-10-01"), "GBP")
    assert [(m["month"], m["orders"], m["net"]["raw"]) for m in gbp["months"]] == [("2025-09", 4, "10000000070.00")]
    assert [(w["week"], w["from"], w["to"], w["orders"]) for w in gbp["weeks"]] == [
        ("2025-W36", "2025-09-01", "2025-09-08", 2), ("2025-W37", "2025-09-08", "2025-09-15", 1),
        ("2025-W38", "2025-09-15", "2025-09-22", 0), ("2025-W39", "2025-09-22", "2025-09-29", 0),
        ("2025-W40", "2025-09-29", "2025-10-01", 1)]
    assert {d["day"]: d["net"]["formatted"] for d in gbp["days"] if d["orders"]} == {
        "2025-09-01": "£100.01", "2025-09-14": "-£30.00", "2025-09-30": "£9,999,999,999.99"}
    # Monday is 1.
    assert {(h["weekday"], h["hour"]): h["orders"] for h in gbp["hours"] if h["orders"]} == {
        (1, 9): 2, (7, 23): 1, (2, 23): 1}


def test_value_bands_of_known_orders(service, database):
    database.replace_orders([order(total=total) for total in ("-0.01", "0.00", "0.99", "1.00", "1.99", "2", "4.99")])
    made = section(report(service(), "2025-09-01", "2025-10-01"), "GBP")
    assert [(b["from"] and b["from"]["formatted"], b["to"] and b["to"]["formatted"], b["orders"], b["net"]["raw"])
            for b in made["bands"]] == [(None, "£0.00", 1, "-0.01"), ("£0.00", "£1.00", 2, "0.99"),
                                        ("£1.00", "£2.00", 2, "2.99"), ("£2.00", "£5.00", 2, "6.99")]


def test_new_and_returning_customers_and_the_range_before(service, database):
    database.replace_orders(KNOWN)
    made = report(service(), "2025-09-01", "2025-10-01")
    assert made["range_before"]["from"], made["range_before"]["to"] == ("2025-08-02", "2025-09-01")
    assert (made["new_customers"], made["returning_customers"]) == (2, 1)
    gbp = section(made, "GBP")
    assert gbp["customers"]["new"] == {"customers": 2, "orders": 3, "net": {
        "raw": "10000000069.99", "formatted": "£10,000,000,069.99"}}
    assert gbp["customers"]["returning"] == {"customers": 1, "orders": 1,
                                             "net": {"raw": "0.01", "formatted": "£0.01"}}
    assert (gbp["before"]["orders"], gbp["before"]["net"]["raw"]) == (1, "50.00")
    assert gbp["change"] == {"net": {"raw": "10000000020.00", "formatted": "£10,000,000,020.00"},
                             "net_percent": "20000000040.0"}
    # A currency that was sold only before is there, with nothing in it.
    usd = section(made, "USD")
    assert (usd["orders"], usd["net"]["raw"], usd["average"], usd["before"]["orders"]) == (0, "0", None, 1)
    assert usd["change"] == {"net": {"raw": "-7.00", "formatted": "-US$7.00"}, "net_percent": "-100.0"}


def test_the_history_bounds_who_is_a_returning_customer(service, database):
    database.replace_orders([order("2025-09-15T12:00:00Z"), order("2025-07-01T12:00:00Z")])
    own = service(exports={"long": sales(history="80d"), "short": sales(history="30d")})
    assert report(own, "2025-09-01", "2025-10-01", export="long")["returning_customers"] == 1
    assert report(own, "2025-09-01", "2025-10-01", export="short")["new_customers"] == 1


def test_an_empty_range_is_a_report_that_says_so(service, database):
    database.replace_orders([order("2025-09-15T12:00:00Z")])
    made = report(service(), "2024-01-01", "2024-02-01")
    assert (made["empty"], made["orders"], made["currencies"]) == (True, 0, [])


# Dates (cases 26 and 27)

def test_the_end_of_a_month_belongs_to_the_next(service, database):
    database.replace_orders([order("2025-09-30T00:00:00 Europe/London"),
                             order("2025-09-30T23:59:59.999999 Europe/London"),
                             order("2025-10-01T00:00:00 Europe/London"),
                             order("2025-08-31T23:30:00Z")])
    own = service()
    september = section(report(own, "2025-09-01", "2025-10-01"), "GBP")
    assert {d["day"]: d["orders"] for d in september["days"] if d["orders"]} == {"2025-09-01": 1, "2025-09-30": 2}
    assert section(report(own, "2025-10-01", "2025-11-01"), "GBP")["orders"] == 1
    both = section(report(own, "2025-08-31", "2025-10-02"), "GBP")
    assert [(m["month"], m["orders"]) for m in both["months"]] == [("2025-08", 0), ("2025-09", 3), ("2025-10", 1)]


@pytest.mark.parametrize("day, next_day, hours", [("2025-03-30", "2025-03-31", 23), ("2025-10-26", "2025-10-27", 25)])
def test_a_day_has_all_its_hours(service, database, day, next_day, hours):
    database.fill_orders(60 * 24 * 3, start=f"{day}T00:00:00Z", step="1 minute")
    database.execute("UPDATE orders SET created_at = created_at - interval '1 day'")
    made = section(report(service(), day, next_day), "GBP")
    assert (made["orders"], made["days"][0]["orders"]) == (hours * 60, hours * 60)
    # 01:00 to 02:00 does not exist in spring and comes twice in autumn.
    shown = {h["hour"]: h["orders"] for h in made["hours"] if h["weekday"] == 7}
    assert shown == {hour: 60 for hour in range(24)} | {1: 0 if hours == 23 else 120}


YEAR = ["2025-01-01", "2025-04-01", "2025-07-01", "2025-10-01", "2026-01-01"]


def fill_year(database):
    """Orders of three currencies all over 2025 and a little beyond, in cents that are hard on doubles."""
    database.fill_orders(6_000, start="2024-12-20T00:00:00Z", step="97 minutes")
    database.execute("""UPDATE orders SET currency = (ARRAY['GBP', 'EUR', 'JPY'])[1 + id % 3],
        email = 'c' || id % 700 || '@example.com',
        total = CASE WHEN id % 11 = 0 THEN -(id % 977) / 7.0 ELSE (id * 7919 % 100003) / 13.0 END""")


def test_the_four_quarters_add_up_to_the_year(service, database):
    fill_year(database)
    own = service()
    year = report(own, YEAR[0], YEAR[-1])
    quarters = [report(own, *ends) for ends in zip(YEAR, YEAR[1:])]
    assert sum(q["orders"] for q in quarters) == year["orders"] > 5_000
    for whole in year["currencies"]:
        parts = [section(q, whole["currency"]) for q in quarters]
        for key in ("orders", "refund_orders"):
            assert sum(part[key] for part in parts) == whole[key]
        for key in ("gross", "refunds", "net"):
            assert sum(raw(part[key]) for part in parts) == raw(whole[key])
        assert sum((part["days"] for part in parts), []) == whole["days"]
        assert sum((part["months"] for part in parts), []) == whole["months"]


@pytest.mark.parametrize("from_, to", [("2025-01-01", "2026-01-01"), ("2025-02-13", "2025-04-02"),
                                       ("2025-10-20", "2025-10-28"), ("2024-12-30", "2025-01-02")])
def test_every_number_is_what_python_makes_of_the_csv(service, database, from_, to):
    fill_year(database)
    check_against_csv(service(), from_, to)


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/St_Johns"])
def test_the_roles_settings_change_nothing(service, database, zone):
    fill_year(database)
    url = database.role(TimeZone=zone, DateStyle="German", IntervalStyle="sql_standard", extra_float_digits="-5")
    plain, odd = service(), service(database_url=url)
    expected, made = (report(own, "2025-03-01", "2025-11-01") for own in (plain, odd))
    expected.pop("generated_at"), made.pop("generated_at")
    assert made == expected


@pytest.mark.parametrize("zone, hour", [("UTC", 12), ("Asia/Kathmandu", 17), ("America/St_Johns", 9)])
def test_the_exports_zone_counts(service, database, zone, hour):
    database.replace_orders([order("2025-09-15T12:10:00Z")])
    own = service(exports={"sales": sales(time_zone=zone)})
    made = report(own, "2025-09-15", "2025-09-16", export="sales")
    assert made["time_zone"] == zone
    assert [h["hour"] for h in section(made, "GBP")["hours"] if h["orders"]] == [hour]


# Any export, and values that are none (cases 24 and 25)

VALUES = "SELECT * FROM (VALUES {}) AS v (amount, currency, at, who) WHERE $1 < $2"


def test_another_query_with_columns_of_its_own(service):
    export = sales(sql="""WITH lines AS (SELECT 250::int AS a, 'EUR '::char(5) AS c, date '2025-09-03' AS d, 7 AS who
        UNION ALL SELECT -50, 'EUR', date '2025-09-30', 7)
        SELECT *, $1 < $2 AS ok FROM lines -- a comment at the end""", columns="a c d who")
    made = report(service(exports={"other": export}), "2025-09-01", "2025-10-01", export="other")
    eur = section(made, "EUR")
    assert (eur["net"]["raw"], eur["median"]["formatted"], eur["orders"]) == ("200", "€100.00", 2)
    assert {d["day"] for d in eur["days"] if d["orders"]} == {"2025-09-03", "2025-09-30"}


def test_what_can_not_be_added_is_counted_and_never_guessed(service, database):
    rows = [("1.5", "GBP", "a"), ("NaN", "GBP", "b"), ("Infinity", "GBP", "c"), ("-Infinity", "GBP", "d"),
            (None, "GBP", "e"), ("2", "gbp", "f"), ("2", "GB", "g"), ("3", None, "h"), ("3", "", "i"),
            ("4", "US$", "j"), ("5", "XXX", None), ("6", "GBP ", None), ("7", "gbp", "k")]
    values = ", ".join(f"({database.literal(amount)}::numeric, {database.literal(currency)}::text, "
                       f"'2025-09-10T12:00:00Z'::timestamptz, {database.literal(who)}::text)"
                       for amount, currency, who in rows)
    values += (", (8, 'GBP', NULL, 'l'), (9, 'GBP', 'infinity', 'm'), (10, 'GBP', '2025-10-10T12:00:00Z', 'n')")
    own = service(exports={"odd": sales(sql=VALUES.format(values), columns="amount currency at who")})
    made = report(own, "2025-09-01", "2025-10-01", export="odd")
    assert made["orders"] == len(rows) + 3
    assert {c["currency"]: (c["orders"], c["net"]["raw"]) for c in made["currencies"] if c["orders"]} == {
        "GBP": (2, "7.5"), "XXX": (1, "5")}
    assert made["left_out"]["reasons"] == {"currency_missing": 2, "currency_unusable": 4, "amount_missing": 1,
                                           "amount_not_finite": 3, "time_missing": 1, "time_outside_range": 2}
    assert made["left_out"]["orders"] == 13
    assert made["left_out"]["unusable_currencies"] == [
        {"currency": "gbp", "orders": 2}, {"currency": "GB", "orders": 1}, {"currency": "US$", "orders": 1}]
    gbp = section(made, "GBP")
    assert gbp["customers"]["unknown"]["orders"] == 1
    assert gbp["customers"]["new"]["orders"] + gbp["customers"]["returning"]["orders"] == 1


def test_amounts_of_any_size_are_exact_and_written_as_in_the_csv(service, database):
    amounts = ["12345678901234567890.12", "9007199254740993.01", "-0.005", "0.00499999999999999999999"]
    values = ", ".join(f"({a}::numeric, 'GBP', '2025-09-10T12:00:00Z'::timestamptz, 'a')" for a in amounts)
    sql = VALUES.format(values)
    own = service(exports={"big": sales(sql=sql, columns="amount currency at who")})
    gbp = section(report(own, "2025-09-01", "2025-10-01", export="big"), "GBP")
    with localcontext(Context(prec=60)):
        assert raw(gbp["net"]) == sum(map(Decimal, amounts))
    shown = [gbp[key] for key in ("gross", "refunds", "net", "average", "median", "largest")]
    export = values_export(database, {"a": "numeric", "c": "text"}, [(each["raw"], "GBP") for each in shown],
                           columns=[{"name": "a", "format": "money", "currency": "c"}])
    printed = read_rectangle(service(exports={"cells": export}).get(f"/exports/cells.csv?{RANGE}").body)[1:]
    assert [each["formatted"] for each in shown] == [cell for cell, in printed]


# Requests

@pytest.mark.parametrize("body, code, parameter", [
    ("", "invalid_body", None), ("{", "invalid_body", None), ("[]", "invalid_body", None),
    ('"from"', "invalid_body", None), ('{"from": "2025-09-01", "from": "2025-09-01"}', "repeated_parameter", "from"), ({}, "missing_parameter", "from"),
    ({"from": "2025-09-01"}, "missing_parameter", "to"), ({**SEPTEMBER, "of": 1}, "unknown_parameter", "of"),
    ({"from": 20250901, "to": "2025-10-01"}, "invalid_parameter", "from"),
    ({"from": None, "to": "2025-10-01"}, "missing_parameter", "from"),
    ({"from": "2025-09-01T00:00:00Z", "to": "2025-10-01"}, "invalid_parameter", "from"),
    ({"from": "2025-02-30", "to": "2025-10-01"}, "invalid_parameter", "from"),
    ({"from": "2025-09-01", "to": "01/10/2025"}, "invalid_parameter", "to"),
    ({"from": "2025-09-01", "to": "2025-9-30"}, "invalid_parameter", "to"),
    ({"from": "2025-09-01", "to": ""}, "invalid_parameter", "to"),
    ({"from": "2025-10-01", "to": "2025-09-01"}, "invalid_range", "to"),
    ({"from": "2025-09-01", "to": "2025-09-01"}, "invalid_range", "to"),
    ({"from": "2023-01-01", "to": "2025-09-01"}, "range_too_long", "to"),
    ({**SEPTEMBER, "export": "nothing"}, "invalid_parameter", "export"),
    ({**SEPTEMBER, "export": "showcase"}, "invalid_parameter", "export"),
])
def test_a_bad_request_is_400_and_names_the_parameter(service, body, code, parameter):
    own = service()
    check_problem(ask_report(own, body), 400, code, parameter)
    assert not own.events("report_started")


def test_parameters_belong_into_the_body(service):
    check_problem(ask_report(service(), SEPTEMBER, target=TARGET + "?from=2025-09-01"), 400, "unknown_parameter")


@pytest.mark.parametrize("content_type, status", [
    ("application/json", 200), ("application/JSON; charset=utf-8", 200), ("text/json", 415),
    ("application/x-www-form-urlencoded", 415), ("*/*", 415), (None, 415)])
def test_the_body_has_to_be_json(service, content_type, status):
    answer = ask_report(service(), SEPTEMBER, content_type=content_type)
    assert answer.status == status, answer
    if status != 200:
        check_problem(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize("accept, type_", [
    (None, JSON), ("*/*", JSON), ("application/*", JSON), ("application/pdf", PDF), ("application/pdf, */*;q=0.5", PDF),
    ("application/pdf;q=0.5, application/json", JSON), ("application/json;q=0, */*", PDF), ("text/html, APPLICATION/PDF", PDF)])
def test_the_type_is_what_accept_wants_most(service, accept, type_):
    answer = ask_report(service(), SEPTEMBER, accept=accept)
    assert (answer.status, answer["Content-Type"], answer["Vary"]) == (200, type_, "Accept")
    check_private(answer)


@pytest.mark.parametrize("accept", ["text/html", "text/*", "application/json;q=0, application/pdf;q=0"])
def test_another_type_is_not_acceptable(service, accept):
    check_problem(ask_report(service(), SEPTEMBER, accept=accept), 406, "not_acceptable")


def test_a_report_is_no_export(service):
    answer = service().get(TARGET)
    check_problem(answer, 405, "method_not_allowed")
    assert answer["Allow"] == "POST"


# Failures

SLOW = "SELECT 1 AS a, 'GBP' AS c, $1 AS t, pg_sleep(30)::text AS who WHERE $1 < $2"


def slow(service, **settings):
    return service(exports={"slow": sales(sql=SLOW, columns="a c t who")}, **settings)


def ask_slow(own):
    connection = own.connect()
    send_report(connection, {**SEPTEMBER, "export": "slow"})
    return connection


def sleeping(database):
    return database.backends("state = 'active' AND query LIKE '%pg_sleep%'")


@pytest.mark.parametrize("leave", ["close", "reset"])
def test_a_client_that_leaves_cancels_the_query(service, database, leave):
    own = slow(service)
    connection = ask_slow(own)
    poll_until(lambda: sleeping(database), 5, "the query runs")
    getattr(connection, leave)()
    poll_until(lambda: not sleeping(database), 2, "the query is gone")
    assert own.event("report_finished", outcome="aborted")["export"] == "slow"
    poll_until(lambda: Metrics(own)["exportd_reports_total", {"outcome": "aborted"}] == 1, 3, "it is counted")
    assert report(own, "2025-09-01", "2025-10-01")["export"] == "orders"


def test_a_report_that_takes_too_long_is_504(service, database):
    own = slow(service, EXPORTD_LIMITS_REPORT_TIMEOUT="500ms")
    check_problem(ask_slow(own).response("POST"), 504, "report_timeout")
    poll_until(lambda: not sleeping(database), 2, "the query is gone")
    assert own.event("report_finished", outcome="failed")["code"] == "report_timeout"


def test_a_backend_that_is_stopped_costs_its_report_and_no_other(service, database):
    own = slow(service, EXPORTD_LIMITS_REPORT_TIMEOUT="2s", EXPORTD_WORKERS_THREADS="2")
    connection = ask_slow(own)
    [(pid, _, _)] = poll_until(lambda: sleeping(database), 5, "the query runs")
    os.kill(pid, signal.SIGSTOP)
    try:
        check_problem(connection.response("POST"), 504, "report_timeout")
        assert report(own, "2025-09-01", "2025-10-01")["export"] == "orders"
        other = ask_slow(own)
        [(second, _, _)] = poll_until(lambda: [b for b in sleeping(database) if b[0] != pid], 5, "another runs")
        os.kill(second, signal.SIGSTOP)
        try:
            own.terminate()
            assert own.wait(12) == 0
        finally:
            os.kill(second, signal.SIGCONT)
        other.close()
    finally:
        os.kill(pid, signal.SIGCONT)
    poll_until(lambda: not sleeping(database), 5, "both are gone")


def test_a_full_pool_is_503_and_says_when_to_come_again(service, database):
    own = slow(service, EXPORTD_WORKERS_THREADS="1", EXPORTD_WORKERS_QUEUE="1")
    running = ask_slow(own)
    poll_until(lambda: sleeping(database), 5, "the first one runs")
    waiting = ask_slow(own)
    poll_until(lambda: Metrics(own)["exportd_workers_queued"] == 1, 5, "the second one waits")
    answer = ask_report(own, SEPTEMBER)
    check_problem(answer, 503, "overloaded")
    assert int(answer["Retry-After"]) > 0
    running.close(), waiting.close()
    poll_until(lambda: not sleeping(database), 2, "both are gone")


def test_a_query_that_fails_is_502_and_nothing_of_it_is_told(service):
    own = service(exports={"bad": sales(sql="""SELECT 1 / (extract(day FROM $1)::int - extract(day FROM $1)::int) AS a,
        'GBP' AS c, $2 AS t, 'w' AS who""", columns="a c t who")})
    answer = ask_report(own, {**SEPTEMBER, "export": "bad"})
    assert "division" not in check_problem(answer, 502, "query_failed")["detail"]
    assert own.event("report_finished", outcome="failed")["cause"] == "SQLSTATE 22012"


def test_without_a_database_it_is_503(service, database, relay):
    own = service(database_url=database.url_at("127.0.0.1", relay.port))
    relay.stop()
    answer = ask_report(own, SEPTEMBER)
    check_problem(answer, 503, "database_unavailable")
    assert int(answer["Retry-After"]) > 0


def test_a_report_needs_columns_that_exist_and_can_be_added(config, database):
    for columns, fault in (("missing currency created_at email", "column missing"),
                           ("email currency created_at email", "column email has a type"),
                           ("total currency id email", "column id has a type")):
        config.add("sales", sales(columns=columns))
        done = config.run("check", database.url)
        assert done.returncode != 0
        assert "report: " in done.stdout + done.stderr and fault in done.stdout + done.stderr


@pytest.mark.parametrize("lines, fault", [
    ('amount = "total"', "currency is missing"), ('amount = 1', "amount has to be a string"),
    ('amount = "total"\ncurrency = "c"\ntime = "t"\ncustomer = "e"\nof = "x"', "unknown key of"),
    ('amount = "total"\ncurrency = "c"\ntime = "t"\ncustomer = "e"\nhistory = "0d"', "history has to be 1 to")])
def test_a_wrong_report_table_names_file_line_and_key(config, database, lines, fault):
    config.add("sales", Export("SELECT 1 WHERE $1 < $2"))
    file = config.exports / "sales.toml"
    file.write_text(file.read_text() + "[report]\n" + lines + "\n")
    done = config.run("check", database.url)
    assert done.returncode != 0
    assert "sales.toml:" in done.stderr and fault in done.stderr


def test_it_is_logged_and_counted_without_what_is_in_it(service, database):
    database.replace_orders(KNOWN)
    own = service()
    answer = ask_report(own, SEPTEMBER)
    started, finished = own.event("report_started"), own.event("report_finished")
    assert (started["export"], started["from"], started["to"]) == ("orders", "2025-09-01", "2025-10-01")
    assert (finished["outcome"], finished["orders"], finished["bytes"]) == ("complete", 5, len(answer.body))
    assert finished["duration_ms"] > 0
    assert "example.com" not in own.log_text
    ask_report(own, {})
    seen = Metrics(own)
    assert seen["exportd_reports_total", {"outcome": "complete"}] == 1
    assert seen["exportd_reports_total", {"outcome": "refused"}] == 1
    assert seen["exportd_report_duration_seconds_count"] == 1


# Many at once (case 14)

def test_eight_reports_at_once_beside_an_export_are_as_one_alone(service, database):
    fill_year(database)
    own = service(EXPORTD_WORKERS_THREADS="4")
    bodies = [{"from": first, "to": last} for first, last in zip(YEAR, YEAR[1:])] * 2
    target = "/exports/orders.csv?from=2025-01-01&to=2026-01-01"
    alone = [without_time(ask_report(own, body).json()) for body in bodies[:4]] * 2
    csv = own.get(target).body
    answers, cells = [None] * len(bodies), []

    def ask(i):
        answers[i] = ask_report(own, bodies[i])
    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(bodies))]
    threads += [threading.Thread(target=lambda: cells.append(own.get(target).body)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [without_time(answer.json()) for answer in answers] == alone
    assert cells == [csv, csv]


def without_time(made):
    return {key: value for key, value in made.items() if key != "generated_at"}
