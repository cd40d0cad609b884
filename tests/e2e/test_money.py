"""Amounts, as Intl.NumberFormat('en-GB') prints them (cases 21 to 25)."""

import pytest

from support.exports import IN_RANGE, RANGE, Export, values_export
from support.rfc4180 import read_rectangle

NBSP = "\u00a0"

PRINTED = [
    # magnitude
    ("99999999999999.99", "GBP", "£99,999,999,999,999.99"),
    ("9007199254740993.01", "GBP", "£9,007,199,254,740,993.01"),
    ("12345678901234567890.12", "GBP", "£12,345,678,901,234,567,890.12"),
    ("0.1", "GBP", "£0.10"),
    ("0", "GBP", "£0.00"),
    ("1", "GBP", "£1.00"),
    ("999", "GBP", "£999.00"),
    ("1000", "GBP", "£1,000.00"),
    ("100000000000000000000000000000", "GBP", "£100,000,000,000,000,000,000,000,000,000.00"),
    # rounding: half away from zero, at the currency's digits
    ("0.005", "GBP", "£0.01"),
    ("0.015", "GBP", "£0.02"),
    ("0.025", "GBP", "£0.03"),
    ("1.005", "GBP", "£1.01"),
    ("0.00499999999999999999999999", "GBP", "£0.00"),
    ("0.00500000000000000000000001", "GBP", "£0.01"),
    ("-0.005", "GBP", "-£0.01"),
    ("-0.015", "GBP", "-£0.02"),
    ("999.995", "GBP", "£1,000.00"),
    ("999999.995", "GBP", "£1,000,000.00"),
    ("999999.994", "GBP", "£999,999.99"),
    ("1234.5", "JPY", "JP¥1,235"),
    ("2.5", "JPY", "JP¥3"),
    ("-0.5", "JPY", "-JP¥1"),
    ("0.0005", "KWD", f"KWD{NBSP}0.001"),
    # an amount that rounds to zero has no sign
    ("-0.001", "GBP", "£0.00"),
    ("-0.00499", "GBP", "£0.00"),
    ("-0.4", "JPY", "JP¥0"),
    ("-0.00", "GBP", "£0.00"),
    ("-0.0004", "KWD", f"KWD{NBSP}0.000"),
    # symbols and digits
    ("1234.567", "KWD", f"KWD{NBSP}1,234.567"),
    ("1234.5", "CHF", f"CHF{NBSP}1,234.50"),
    ("1234.5", "USD", "US$1,234.50"),
    ("1234.5", "EUR", "€1,234.50"),
    ("1234", "JPY", "JP¥1,234"),
    ("1234.5", "AUD", "A$1,234.50"),
    ("1234.5", "CAD", "CA$1,234.50"),
    ("1234.5", "NZD", "NZ$1,234.50"),
    ("1234.5", "HKD", "HK$1,234.50"),
    ("1234.5", "MXN", "MX$1,234.50"),
    ("1234.5", "BRL", "R$1,234.50"),
    ("1234.5", "INR", "₹1,234.50"),
    ("1234.5", "CNY", "CN¥1,234.50"),
    ("1234.5", "ILS", "₪1,234.50"),
    ("1234.5", "KRW", "₩1,235"),
    ("1234.5", "VND", "₫1,235"),
    ("1234.5", "CLP", f"CLP{NBSP}1,235"),
    ("1234.5", "PLN", f"PLN{NBSP}1,234.50"),
    ("1234.5", "BHD", f"BHD{NBSP}1,234.500"),
    ("1234.5678", "CLF", f"CLF{NBSP}1,234.5678"),
    ("1234.5", "ZZZ", f"ZZZ{NBSP}1,234.50"),
    # signs
    ("-1234.50", "GBP", "-£1,234.50"),
    ("-1234.5", "CHF", f"-CHF{NBSP}1,234.50"),
    ("-12.00", "GBP", "-£12.00"),
    ("-99999999999999.99", "EUR", "-€99,999,999,999,999.99"),
]


@pytest.fixture
def printed(service, database):
    """The cells that a money column prints for (amount, currency) pairs."""
    def fetch(pairs, query="", amount_type="numeric", currency_type="text", locale="en-GB"):
        export = values_export(database, {"amount": amount_type, "currency": currency_type, "end": "text"},
                               [(*pair, "]") for pair in pairs], locale=locale, columns=[
                                   {"name": "amount", "format": "money", "currency": "currency"},
                                   {"name": "end"}])
        answer = service(exports={"money": export}).get(f"/exports/money.csv?{RANGE}{query}")
        assert answer.status == 200, answer
        records = read_rectangle(answer.body)
        assert len(records) == len(pairs) + 1
        return [record[0] for record in records[1:]]
    return fetch


def test_amounts_print_like_intl(printed):
    found = printed([(amount, currency) for amount, currency, _ in PRINTED])
    wrong = {f"{amount} {currency}": (got, expected)
             for (amount, currency, expected), got in zip(PRINTED, found) if got != expected}
    assert not wrong, "amount: (got, expected)"


def test_the_currency_may_be_char_3_as_in_orders(printed):
    assert printed([("1.5", "GBP"), ("-2.5", "EUR")], currency_type="char(3)") == ["£1.50", "-€2.50"]


def test_the_trailing_blanks_of_char_n_are_dropped(printed):
    assert printed([("12.34", "GBP"), ("12.34", "GB"), ("12.34", "")], currency_type="char(5)") == [
        "£12.34", "12.34 GB", "12.34"]


@pytest.mark.parametrize("kind", ["int2", "int4", "int8"])
def test_whole_amounts_of_integer_columns(printed, kind):
    assert printed([("1234", "GBP"), ("-5", "JPY")], amount_type=kind) == ["£1,234.00", "-JP¥5"]


STRANGE = [("GB", "12.34 GB"), ("gbp", "12.34 gbp"), ("US$", "12.34 US$"), ("GB£", "12.34 GB£"),
           ("", "12.34"), (None, "12.34"), ("Gbp", "12.34 Gbp"), ("GBPX", "12.34 GBPX"), ("123", "12.34 123"),
           ("£", "12.34 £"), ("ＧＢＰ", "12.34 ＧＢＰ"), ("G,P", "12.34 G,P"), ('G"P', '12.34 G"P'),
           ("ÄÖÜ", "12.34 ÄÖÜ"), (" GBP", "12.34  GBP")]


def test_a_strange_currency_is_printed_as_it_is_and_never_guessed(printed):
    found = printed([("12.34", currency) for currency, _ in STRANGE])
    wrong = {repr(currency): (got, expected)
             for (currency, expected), got in zip(STRANGE, found) if got != expected}
    assert not wrong, "currency: (got, expected)"


def test_strange_currencies_next_to_others_change_no_other_row(printed):
    assert printed([("1", "GBP"), ("1.25", "gbp"), ("2", "GBP"), ("3", None), ("4", "EUR")]) == [
        "£1.00", "1.25 gbp", "£2.00", "3", "€4.00"]


def test_a_text_currency_with_a_trailing_blank_keeps_the_row(printed):
    assert printed([("12.34", "GBP ")])[0] in ("£12.34", "12.34 GBP ")


def test_a_strange_currency_of_a_negative_amount_is_no_formula(printed):
    assert printed([("-12.34", "gbp"), ("-12.34", None)]) == ["-12.34 gbp", "-12.34"]


def test_the_unknown_currency_code_xxx_prints_as_intl_has_it(printed):
    assert printed([("12.34", "XXX"), ("-12.34", "XXX")]) == ["¤12.34", "-¤12.34"]


def test_orders_with_every_strange_char_3(service, database):
    codes = ["", "GB", "gbp", "US$", "GB£", "XXX", "GBP"]
    database.replace_orders([("c", "e@example.com", "12.34", code, f"2025-09-15T12:00:0{n}Z")
                             for n, code in enumerate(codes)])
    records = read_rectangle(service().get("/exports/orders.csv?from=2025-09-01&to=2025-10-01").body)
    assert [record[3] for record in records[1:]] == ["12.34", "12.34 GB", "12.34 gbp", "12.34 US$", "12.34 GB£",
                                                     "¤12.34", "£12.34"]


@pytest.mark.parametrize("query", ["", "&values=raw"], ids=["formatted", "raw"])
def test_not_a_number_is_never_zero(printed, query):
    assert printed([("NaN", "GBP"), ("Infinity", "GBP"), ("-Infinity", "GBP"), (None, "GBP"), ("NaN", "gbp")],
                   query)[:4] == ["NaN", "Infinity", "-Infinity", None]


def test_not_a_number_is_bare(service, database):
    export = values_export(database, {"a": "numeric", "c": "text"},
                           [(v, "GBP") for v in ("NaN", "Infinity", "-Infinity", None)],
                           columns=[{"name": "a", "format": "money", "currency": "c"}, {"name": "c"}])
    body = service(exports={"money": export}).get(f"/exports/money.csv?{RANGE}").body
    assert body == b"a,c\nNaN,GBP\nInfinity,GBP\n-Infinity,GBP\n,GBP\n"


def test_raw_amounts_are_as_stored(printed):
    amounts = ["99999999999999.99", "12345678901234567890.12", "0.00", "-0.001", "1234.50", "1e20",
               "0.00000000000000000001", "-1234567.8900"]
    expected = ["99999999999999.99", "12345678901234567890.12", "0.00", "-0.001", "1234.50",
                "100000000000000000000", "0.00000000000000000001", "-1234567.8900"]
    assert printed([(amount, "GBP") for amount in amounts], "&values=raw") == expected


def test_raw_amounts_are_what_copy_writes(service, database):
    database.execute("CREATE TABLE IF NOT EXISTS spread (n int, amount numeric)")
    database.execute("TRUNCATE spread")
    database.execute("""INSERT INTO spread SELECT n, (CASE WHEN n % 2 = 0 THEN -1 ELSE 1 END)
                        * (10::numeric ^ (n % 41 - 20)) * (n * 7919 % 100003)::numeric
                        FROM generate_series(1, 4000) n""")
    own = service(exports={"spread": Export(f"SELECT amount FROM spread WHERE {IN_RANGE} ORDER BY n")})
    body = own.get(f"/exports/spread.csv?{RANGE}&values=raw").text
    assert body.split("\n")[1:-1] == [row[0] for row in
                                      database.rows("SELECT amount::text FROM spread ORDER BY n")]


def test_orders_round_trip_exactly_in_raw(service, database):
    totals = ["999999999999.99", "0.01", "-0.01", "0.00", "-1234.50"]
    database.replace_orders([("c", "e@example.com", total, "GBP", f"2025-09-15T12:00:0{n}Z")
                             for n, total in enumerate(totals)])
    own = service()
    records = read_rectangle(own.get("/exports/orders.csv?from=2025-09-01&to=2025-10-01&values=raw").body)
    assert records[0] == ["id", "customer", "email", "total", "currency", "created_at"]
    assert [record[3] for record in records[1:]] == totals
    assert [record[4] for record in records[1:]] == ["GBP"] * 5


def test_an_amount_with_a_comma_is_quoted(service, database):
    database.replace_orders([("c", "e@example.com", "1234.50", "GBP", "2025-09-15T12:00:00Z"),
                             ("c", "e@example.com", "12.50", "GBP", "2025-09-15T12:00:01Z")])
    lines = service().get("/exports/orders.csv?from=2025-09-01&to=2025-10-01").body.decode().split("\n")
    assert lines[1] == '1,c,e@example.com,"£1,234.50","15/09/2025, 13:00:00"'
    assert lines[2] == '2,c,e@example.com,£12.50,"15/09/2025, 13:00:01"'


def test_another_locale(printed):
    assert printed([("1234.5", "EUR"), ("-1234.5", "USD"), ("1234.5", "JPY")], locale="de-DE") == [
        f"1.234,50{NBSP}€", f"-1.234,50{NBSP}$", f"1.235{NBSP}¥"]
