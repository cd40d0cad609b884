"""Asking for reports, and the same sums made by other means."""

import json
import subprocess
from collections import defaultdict
from datetime import datetime, timedelta
from decimal import Decimal
from statistics import median
from zoneinfo import ZoneInfo

from .rfc4180 import read_rectangle

TARGET = "/exports/quarterly-report"
JSON, PDF = "application/json", "application/pdf"


def send_report(connection, body, accept=None, content_type=JSON, target=TARGET):
    """Sends the request; `body` is text, or what becomes JSON."""
    data = (body if isinstance(body, str) else json.dumps(body)).encode("utf-8")
    fields = {"Host": "exports.test", "Content-Length": str(len(data)), "Accept": accept,
              "Content-Type": content_type}
    lines = [f"{name}: {value}" for name, value in fields.items() if value is not None]
    connection.send(f"POST {target} HTTP/1.1\r\n".encode() + "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + data)


def ask_report(service, body, **request):
    connection = service.connect(timeout=50)
    send_report(connection, body, **request)
    answer = connection.response("POST")
    connection.close()
    return answer


def report(service, from_, to, **more):
    answer = ask_report(service, {"from": from_, "to": to, **more})
    assert answer.status == 200, answer
    assert answer["Content-Type"] == JSON
    return answer.json()


def section(report, currency):
    """What the report says about one currency."""
    [found] = [each for each in report["currencies"] if each["currency"] == currency]
    return found


def pdf_pages(answer, tmp_path):
    """The text of each page, as it lies on the page."""
    file = tmp_path / "report.pdf"
    file.write_bytes(answer.body)
    done = subprocess.run(["pdftotext", "-layout", str(file), "-"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split("\f")[:-1]


def pdf_info(answer, tmp_path, *options):
    file = tmp_path / "report.pdf"
    file.write_bytes(answer.body)
    done = subprocess.run(["pdfinfo", *options, str(file)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


class Sums:
    """Orders and net of some rows."""

    def __init__(self):
        self.orders, self.net = 0, Decimal(0)

    def add(self, amount):
        self.orders += 1
        self.net += amount


def sums_of_csv(service, from_, to, zone="Europe/London"):
    """Per currency, from the export's own raw CSV: amounts, and Sums by month, week, day and hour."""
    answer = service.get(f"/exports/orders.csv?from={from_}&to={to}&values=raw")
    head, *rows = read_rectangle(answer.body)
    found = defaultdict(lambda: {"amounts": [], "month": defaultdict(Sums), "week": defaultdict(Sums),
                                 "day": defaultdict(Sums), "hour": defaultdict(Sums)})
    for row in rows:
        cells = dict(zip(head, row))
        amount = Decimal(cells["total"])
        local = datetime.fromisoformat(cells["created_at"].replace("Z", "+00:00")).astimezone(ZoneInfo(zone))
        year, week, weekday = local.isocalendar()
        own = found[cells["currency"]]
        own["amounts"].append(amount)
        for kind, key in (("month", f"{local:%Y-%m}"), ("week", f"{year}-W{week:02}"), ("day", f"{local:%Y-%m-%d}"),
                          ("hour", (weekday, local.hour))):
            own[kind][key].add(amount)
    return found


def check_against_csv(service, from_, to):
    """Every number of the report is what Decimal makes of the CSV of the same range."""
    made, found = report(service, from_, to), sums_of_csv(service, from_, to)
    sold = [each for each in made["currencies"] if each["orders"]]
    assert {each["currency"] for each in sold} == set(found)
    for own in sold:
        amounts = found[own["currency"]]["amounts"]
        assert own["orders"] == len(amounts)
        assert raw(own["gross"]) == sum(a for a in amounts if a >= 0)
        assert raw(own["refunds"]) == sum(a for a in amounts if a < 0)
        assert raw(own["net"]) == sum(amounts)
        assert raw(own["median"]) == median(amounts)
        assert raw(own["largest"]) == max(amounts)
        assert abs(raw(own["average"]) - sum(amounts) / len(amounts)) <= Decimal("0.0000005")
        for kind in ("month", "week", "day"):
            check_sums({each[kind]: each for each in own[kind + "s"]}, found[own["currency"]][kind])
        check_sums({(each["weekday"], each["hour"]): each for each in own["hours"]}, found[own["currency"]]["hour"])
        assert sum(band["orders"] for band in own["bands"]) == own["orders"]
        assert sum(raw(band["net"]) for band in own["bands"]) == raw(own["net"])
    days = (datetime.fromisoformat(to) - datetime.fromisoformat(from_)) // timedelta(days=1)
    assert all(len(own["days"]) == days and len(own["hours"]) == 168 for own in sold)
    return made


def check_sums(shown, expected):
    assert set(expected) <= set(shown)
    for key, each in shown.items():
        assert (each["orders"], raw(each["net"])) == (expected[key].orders, expected[key].net), key


def raw(figure):
    return Decimal(figure["raw"])
