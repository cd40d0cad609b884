#!/usr/bin/python3
"""Makes the pictures of a report in README.md: a made-up shop's third quarter, as PDF, as PNG.

Usage: EXPORTD_TEST_DATABASE_URL=postgresql://... EXPORTD_TEST_BINARY=build/release/exportd \\
           tests/bench/report_pictures.py [DIRECTORY]

Writes report-1.png and report-2.png into DIRECTORY, by default deploy/pictures, and report.pdf beside
them into build/. Uses a database of its own on that server, and drops it. The same orders every time.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

from support.database import Database, server_url  # noqa: E402
from support.reports import PDF, ask_report  # noqa: E402
from support.service import Config, Service  # noqa: E402

QUARTER = {"from": "2025-07-01", "to": "2025-10-01"}

# More orders at noon and in the evening, on weekends and towards autumn; some are returned.
ORDERS = """
    CREATE FUNCTION pg_temp.pick(n bigint, purpose bigint) RETURNS float8 LANGUAGE sql IMMUTABLE AS
        $$ SELECT (hashint8extended(n, purpose) & 1048575) / 1048576.0 $$;
    INSERT INTO orders (customer_name, email, total, currency, created_at)
    SELECT 'Customer', 'c' || floor(pow(pg_temp.pick(n, 1), 2) * (6000 + n / 6)) || '@example.com',
           CASE WHEN pg_temp.pick(n, 2) < 0.035 THEN -1 ELSE 1 END *
               round((4 + 38 * exp(1.1 * (pg_temp.pick(n, 3) + pg_temp.pick(n, 4) + pg_temp.pick(n, 5) - 1.5) * 2))::numeric, 2),
           (ARRAY['GBP', 'GBP', 'GBP', 'GBP', 'GBP', 'GBP', 'EUR', 'EUR', 'EUR', 'USD'])[1 + floor(pg_temp.pick(n, 6) * 10)],
           at
    FROM generate_series(1, 160000) AS n,
         LATERAL (SELECT timestamptz '2025-04-01 00:00+01' + floor(pow(pg_temp.pick(n, 7), 0.8) * 183) * interval '1 day'
                  + interval '1 hour' * (24 * pg_temp.pick(n, 8)) AS at) AS a
    WHERE pg_temp.pick(n, 9) < 0.12
          + 0.45 * exp(-pow((extract(hour FROM at AT TIME ZONE 'Europe/London') - 12.5) / 2.6, 2))
          + 0.75 * exp(-pow((extract(hour FROM at AT TIME ZONE 'Europe/London') - 20) / 2.2, 2))
          - CASE WHEN extract(isodow FROM at) < 6 THEN 0.1 ELSE 0 END"""


def pictures(pdf, directory):
    """The first two pages, at a moderate size."""
    for page in ("1", "2"):
        subprocess.run(["pdftoppm", "-png", "-r", "80", "-f", page, "-l", page, "-singlefile", pdf,
                        directory / f"report-{page}"], check=True)


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "deploy/pictures").resolve()
    directory.mkdir(parents=True, exist_ok=True)
    database = Database(server_url())
    with tempfile.TemporaryDirectory() as own:
        service = None
        try:
            database.execute(ORDERS)
            service = Service(Config(pathlib.Path(own) / "service"), database.url)
            answer = ask_report(service, QUARTER, accept=PDF)
            assert answer.status == 200, answer
            pdf = ROOT / "build/report.pdf"
            pdf.write_bytes(answer.body)
            pictures(pdf, directory)
        finally:
            if service is not None:
                service.kill()
            database.drop()


if __name__ == "__main__":
    main()
