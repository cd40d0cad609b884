"""The PDF of a report: the JSON's numbers, its text, its structure."""

import re

import pytest

from support.database import order
from support.reports import PDF, ask_report, pdf_info, pdf_pages, section
from test_reports import KNOWN, Reportable, fill_year, sales, without_time

NBSP = "\u00a0"


def both(service, from_, to, **more):
    """The report of a range as JSON and the answer with its PDF."""
    body = {"from": from_, "to": to, **more}
    made, pdf = ask_report(service, body), ask_report(service, body, accept=PDF)
    assert (made.status, pdf.status, pdf["Content-Type"]) == (200, 200, PDF), (made, pdf)
    return made.json(), pdf


def rows_of(page, code):
    """The cells of the lines that begin with a currency's code."""
    return [re.split(r"\s{2,}", line.replace(NBSP, " ").strip()) for line in page.splitlines()
            if re.match(rf"\s*{code}\s", line)]


def plain(figure):
    return figure["formatted"].replace(NBSP, " ")


def test_it_is_a_pdf_to_be_saved_under_a_name(service, database):
    database.replace_orders(KNOWN)
    _, pdf = both(service(), "2025-09-01", "2025-10-01")
    assert pdf.body.startswith(b"%PDF-1.") and pdf.body.rstrip().endswith(b"%%EOF")
    assert pdf["Content-Disposition"] == 'attachment; filename="orders-report_2025-09-01_2025-10-01.pdf"'
    assert pdf["Content-Length"] == str(len(pdf.body))


def test_its_title_size_and_structure(service, database, tmp_path):
    database.replace_orders(KNOWN)
    _, pdf = both(service(), "2025-09-01", "2025-10-01")
    info = pdf_info(pdf, tmp_path)
    assert re.search(r"^Title: +Orders: report$", info, re.M)
    assert re.search(r"^Subject: +1 September 2025 to 30 September 2025$", info, re.M)
    assert re.search(r"^Tagged: +yes$", info, re.M)
    assert re.search(r"^Page size: .*\(A4\)$", info, re.M)
    structure = pdf_info(pdf, tmp_path, "-struct")
    for tag in ("Document", "H1", "H2", "H3", "Table", "TR", "TH", "TD", "Figure"):
        assert re.search(rf"^ *{tag}\b", structure, re.M), tag
    assert len(re.findall(r"^Document", structure, re.M)) == 1


def test_every_page_has_its_number(service, database, tmp_path):
    fill_year(database)
    _, pdf = both(service(), "2025-01-01", "2026-01-01")
    pages = pdf_pages(pdf, tmp_path)
    # The tables, and a page for each currency.
    assert len(pages) == 4
    for number, page in enumerate(pages, 1):
        assert page.rstrip().endswith(f"{number} of 4")
        assert "1 January 2025 to 31 December 2025" in page


@pytest.mark.parametrize("from_, to", [("2025-01-01", "2026-01-01"), ("2025-09-01", "2025-10-01")])
def test_its_numbers_are_those_of_the_json(service, database, tmp_path, from_, to):
    fill_year(database)
    made, pdf = both(service(), from_, to)
    first = pdf_pages(pdf, tmp_path)[0]
    for own in made["currencies"]:
        totals, sizes, compared, customers = rows_of(first, own["currency"])
        assert totals[1:] == [f"{own['orders']:,}", f"{own['refund_orders']:,}",
                              *(plain(own[key]) for key in ("gross", "refunds", "net"))]
        assert sizes[1:] == [plain(own[key]) for key in ("average", "median", "largest")]
        assert compared[1:6] == [f"{own['before']['orders']:,}", f"{own['orders']:,}", plain(own["before"]["net"]),
                                 plain(own["net"]), plain(own["change"]["net"])]
        new, returning = own["customers"]["new"], own["customers"]["returning"]
        assert customers[1:] == [f"{new['customers']:,}", f"{new['orders']:,}", plain(new["net"]),
                                 f"{returning['customers']:,}", f"{returning['orders']:,}", plain(returning["net"])]


def test_the_charts_page_of_a_currency(service, database, tmp_path):
    database.replace_orders(KNOWN)
    made, pdf = both(service(), "2025-09-01", "2025-10-01")
    page = pdf_pages(pdf, tmp_path)[1]
    for heading in ("Net by month, GBP", "Net by day, GBP", "Orders by weekday and hour of the day, Europe/London",
                    "Orders by amount"):
        assert heading in page
    for band in section(made, "GBP")["bands"]:
        if band["from"] and band["to"] and band["orders"]:
            assert f"{plain(band['from'])} to under {plain(band['to'])}" in page


def test_an_empty_range_says_so(service, database, tmp_path):
    database.replace_orders(KNOWN)
    _, pdf = both(service(), "2024-01-01", "2024-02-01")
    [page] = pdf_pages(pdf, tmp_path)
    assert "There are no orders in this range." in page
    assert "1 of 1" in page


def test_what_is_left_out_is_told(service, database, tmp_path):
    database.replace_orders([order(), order(currency="gbp"), order(currency="   ")])
    _, pdf = both(service(), "2025-09-01", "2025-10-01")
    text = " ".join(pdf_pages(pdf, tmp_path)[0].split())
    assert "In no sum: 2 of 3 orders." in text
    assert "Without a currency: 1." in text
    assert "With a currency code that is none: 1. Codes: “gbp” (1)." in text


@pytest.mark.parametrize("title", ["Commandes été, Łódź", "Заказы", "Παραγγελίες", "株式会社の注文", "طلبات",
                                   'A "quoted" \\ title', "Long " * 60])
def test_titles_of_all_scripts(service, database, tmp_path, title):
    database.replace_orders(KNOWN)
    export = sales()
    export.title = title.strip()
    own = service(exports={"sales": export})
    _, pdf = both(own, "2025-09-01", "2025-10-01", export="sales")
    assert re.search(r"^Title: +" + re.escape(title.strip()) + ": report$", pdf_info(pdf, tmp_path), re.M)
    assert "Totals" in pdf_pages(pdf, tmp_path)[0]


def test_many_currencies_have_one_line_each_and_eight_have_charts(service, database, tmp_path):
    codes = [a + b + "Z" for a in "ABCDEFG" for b in "KLMNOPQR"]
    database.replace_orders([order(f"2025-09-{1 + n % 28:02}T12:00:00Z", currency=code)
                             for n, code in enumerate(codes) for _ in range(1 + n % 3)])
    made, pdf = both(service(), "2025-09-01", "2025-10-01")
    pages = pdf_pages(pdf, tmp_path)
    assert len(made["currencies"]) == len(codes) == 56
    charts = [page for page in pages if "Orders by amount" in page]
    assert len(charts) == 8
    tables = "".join(pages[:-8])
    assert all(len(rows_of(tables, code)) == 4 for code in codes)
    assert "Charts follow for the 8 currencies with the most orders." in " ".join(tables.split())


def test_reports_of_hard_ranges_can_be_drawn(service, database, tmp_path):
    own = service(exports={"long": Reportable(sales().sql, sales().names, {}, "Europe/London")})
    for orders in ([order(total="-5.00")], [order(total="0.00")], [order(total="99999999999.99"), order(total="0.01")]):
        database.replace_orders(orders)
        for from_, to in (("2025-09-15", "2025-09-16"), ("2024-09-16", "2025-09-16")):
            made, pdf = both(own, from_, to)
            assert made["orders"] == len(orders)
            assert len(pdf_pages(pdf, tmp_path)) == 2


def test_the_same_report_is_drawn_the_same(service, database, tmp_path):
    fill_year(database)
    own = service()
    (one, first), (other, second) = (both(own, "2025-01-01", "2026-01-01") for _ in range(2))
    assert without_time(one) == without_time(other)
    made = re.compile(r"Made .* from the export")
    texts = [[made.sub("", page) for page in pdf_pages(pdf, tmp_path)] for pdf in (first, second)]
    assert texts[0] == texts[1]
