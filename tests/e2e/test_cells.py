"""The bytes of a cell (cases 15 to 20)."""

import csv
import io
import subprocess
import sys

import pytest

from support.exports import IN_RANGE, RANGE, Export, values_export
from support.rfc4180 import NotCsv, read, read_rectangle
from support.wire import WHOLE

SEPTEMBER = "from=2025-09-01&to=2025-10-01"

GUARDED = [
    ("=1+1", b"\"'=1+1\""),
    ("@SUM(1)", b"\"'@SUM(1)\""),
    ("+1", b"\"'+1\""),
    ("-2+3", b"\"'-2+3\""),
    ("\t=1", b"\"'\t=1\""),
    ("\r=1", b"\"'\r=1\""),
    ("\n=1", b"\"'\n=1\""),
    (" =1", b"\"' =1\""),
    ("\uff1d1", "\"'\uff1d1\"".encode()),
    ('=HYPERLINK("http://example.invalid","x")', b"\"'=HYPERLINK(\"\"http://example.invalid\"\",\"\"x\"\")\""),
    # the same kind of thing
    ("=", b"\"'=\""),
    ("-", b"\"'-\""),
    ("+44 20 7946 0000", b"\"'+44 20 7946 0000\""),
    ("--", b"\"'--\""),
    ("@", b"\"'@\""),
    ("\uff0b1", "\"'\uff0b1\"".encode()),
    ("\uff0d1", "\"'\uff0d1\"".encode()),
    ("\uff20SUM(1)", "\"'\uff20SUM(1)\"".encode()),
    (" \uff1d1", "\"' \uff1d1\"".encode()),
    ("   \t\r\n =1", b"\"'   \t\r\n =1\""),
    ("\v=1", b"\"'\v=1\""),
    ("\f=1", b"\"'\f=1\""),
    ("\tplain", b"\"'\tplain\""),
    ("\rplain", b"\"'\rplain\""),
    ('="a"', b"\"'=\"\"a\"\"\""),
    ("=1\n=2", b"\"'=1\n=2\""),
    ("=cmd|' /C calc'!A0", b"\"'=cmd|' /C calc'!A0\""),
    ("-1234.50", b"\"'-1234.50\""),
]

HARMLESS = [
    ("a,=1+1", b'"a,=1+1"'),
    ('a";=1+1', b'"a"";=1+1"'),
    ("a=1", b"a=1"),
    ("1-2", b"1-2"),
    ("ann@example.com", b"ann@example.com"),
    ("'=1", b"'=1"),
    ("\\=1", b"\\=1"),
    ("C:\\temp\\x", b"C:\\temp\\x"),
    ("a;b", b"a;b"),
    (";", b";"),
    (",", b'","'),
    ('"', b'""""'),
    ('""', b'""""""'),
    ("a\rb", b'"a\rb"'),
    ("a\nb", b'"a\nb"'),
    ("a\r\nb", b'"a\r\nb"'),
    (" a", b'" a"'),
    ("a ", b'"a "'),
    (" ", b'" "'),
    ("", b'""'),
    ("'", b"'"),
    ("\\.", b"\\."),
    ("NULL", b"NULL"),
    ("\\N", b"\\N"),
    ("0012345678901234567", b"0012345678901234567"),
    ("00", b"00"),
    ("1e5", b"1e5"),
]


def readable(value):
    return ascii(value)[1:-1] or "empty"


@pytest.fixture
def one_text(service, database):
    """The bytes of one text value's field, between an id and an end."""
    def fetch(values, query="", **settings):
        export = values_export(database, {"before": "text", "value": "text", "behind": "text"},
                               [("[", value, "]") for value in values], **settings)
        own = service(exports={"cells": export})
        answer = own.get(f"/exports/cells.csv?{RANGE}{query}")
        assert (answer.status, answer.ended) == (200, WHOLE), answer
        return answer.body
    return fetch


def fields_of(body, count, end=b"\n"):
    """The raw fields, found by their neighbours."""
    header, rest = body.split(end, 1)
    assert header == b"before,value,behind"
    fields = rest.split(b"]" + end)
    assert fields.pop() == b"" and len(fields) == count
    assert all(field.startswith(b"[,") and field.endswith(b",") for field in fields)
    return [field[2:-1] for field in fields]


@pytest.mark.parametrize("pairs", [GUARDED, HARMLESS], ids=["guarded", "harmless"])
def test_text_cells_are_these_bytes(one_text, pairs):
    found = fields_of(one_text([value for value, _ in pairs]), len(pairs))
    wrong = {readable(value): (got, expected)
             for (value, expected), got in zip(pairs, found) if got != expected}
    assert not wrong, "value: (got, expected)"


def test_text_cells_of_raw_values_have_no_guard(one_text):
    values = [value for value, _ in GUARDED + HARMLESS]
    records = read_rectangle(one_text(values, "&values=raw"))
    assert [record[1] for record in records[1:]] == values


def test_the_guard_can_be_off_for_an_export(one_text):
    values = [value for value, _ in GUARDED]
    body = one_text(values, settings={"formula_guard": False})
    assert [record[1] for record in read_rectangle(body)[1:]] == values


def test_the_guard_adds_one_apostrophe_and_nothing_else(one_text):
    values = [value for value, _ in GUARDED]
    records = read_rectangle(one_text(values))
    assert [record[1] for record in records[1:]] == ["'" + value for value in values]


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u2003", "\ufeff"], ids=ascii)
def test_unicode_white_space_in_front_of_a_formula_is_white_space(one_text, space):
    value = space + "=1+1"
    assert read_rectangle(one_text([value]))[1][1] == "'" + value


def test_every_single_character_comes_back(one_text):
    values = [chr(code) for code in range(1, 256)] + ["x" + chr(code) for code in range(1, 256)]
    records = read_rectangle(one_text(values, "&values=raw"))
    assert [record[1] for record in records[1:]] == values


NAUGHTY = [
    "undefined", "null", "None", "true", "-0", "1/0", "0x0", "NaN", "Infinity", "١٢٣", "1,000.00",
    ",./;'[]\\-=", "<>?:\"{}|_+", "!@#$%^&*()`~", "\u0001\u0002\u001f", "\u007f", "\u0080\u0085\u009f",
    "\u200b\u200c\u200d\u2060", "\ufeffBOM", "\ufffe", "Ω≈ç√∫˜µ≤≥÷", "田中さんにあげて下さい", "社會科學院語學研究所",
    "찦차를 타고", "(｡◕ ∀ ◕｡)", "👩🏽‍💻", "🏳️‍🌈", "𝒳", "ﷺ", "بِسْمِ ٱللَّٰهِ", "בְּרֵאשִׁית", "\u202etest\u202c",
    "Z̮̞̠͙͔ͅḀ̗̞͈̻̗Ḷ͙͎̯̹̞͓G̻O̭̗̮", "é", "e\u0301", "ß", "İ", "<script>alert(1)</script>", "'; DROP TABLE orders; --",
    "$1", "%s%n", "{0}", "${HOME}", "$(touch x)", "../../etc/passwd", "C:\\con\\con", "\\", "\\\\", "\\\"",
    "a\"b", "\"a\"", "\"\"\"", ",,", "\n", "\r", "\r\n", "\n\n", "a\n", "\na", "\"\n\"", "\",\"", "\u2028\u2029",
    "\x1b[31m", "x" * 100_000, "\"" * 10_001, "," * 5_000, "\U0010ffff", "\ue000", "0", "00000000000000000000",
    "1.7976931348623157e309", "9007199254740993", "2025-09-01", "1st", "MARCH1", "TRUE", "#N/A", "#REF!",
]


def test_naughty_strings_come_back(one_text):
    records = read_rectangle(one_text(NAUGHTY, "&values=raw"))
    assert [record[1] for record in records[1:]] == NAUGHTY


def test_naughty_strings_come_back_formatted_but_for_the_guard(one_text):
    records = read_rectangle(one_text(NAUGHTY))
    for value, record in zip(NAUGHTY, records[1:], strict=True):
        assert record[1] in (value, "'" + value)
        guard = record[1] != value
        begin = value.lstrip(" \t\r\n\v\f\u00a0\u2003\u3000\ufeff")[:1]
        assert guard == (begin in tuple("=+-@") or value[0] in "\t\r"), value


def test_a_chunk_or_batch_boundary_never_splits_what_belongs_together(service, database):
    sizes = [1, 2, 8_189, 65_533, 65_534, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 262_144, 1_000_003]
    values = [("é\"," * size)[:size] for size in sizes]
    own = service(exports={"cells": values_export(database, {"value": "text"}, [(v,) for v in values])})
    for query in ("", "&values=raw", "&excel=1"):
        answer = own.get(f"/exports/cells.csv?{RANGE}{query}")
        end = b"\r\n" if "excel" in query else b"\n"
        records = read(answer.body.removeprefix(b"\xef\xbb\xbf"), end)
        assert [record[0] for record in records[1:]] == values


def test_null_and_empty_differ(service, database):
    export = values_export(database, {"a": "text", "b": "text", "c": "text"},
                           [(None, "", None), ("", None, ""), (None, None, None)])
    answer = service(exports={"cells": export}).get(f"/exports/cells.csv?{RANGE}")
    assert answer.body == b'a,b,c\n,"",\n"",,""\n,,\n'


def test_null_of_every_format_is_bare(service, database):
    types = {"t": "text", "i": "int8", "n": "numeric", "m": "numeric", "c": "text", "d": "date",
             "tz": "timestamptz", "ts": "timestamp", "b": "boolean", "u": "uuid", "f": "float8", "by": "bytea"}
    columns = [{"name": name} for name in types if name not in ("m", "c")]
    columns.insert(3, {"name": "m", "format": "money", "currency": "c"})
    export = values_export(database, types, [(None,) * len(types)], columns=columns)
    own = service(exports={"cells": export})
    assert own.get(f"/exports/cells.csv?{RANGE}").body.split(b"\n")[1] == b"," * 10
    assert own.get(f"/exports/cells.csv?{RANGE}&values=raw").body.split(b"\n")[1] == b"," * 11


def test_orders_with_formulas_for_names_keep_their_refund(service, database):
    database.replace_orders([
        ("=1+1", "=2@example.com", "-1234.50", "GBP", "2025-09-15T12:00:00Z"),
        ("-2+3", "+a@example.com", "12.00", "GBP", "2025-09-15T12:00:01Z")])
    answer = service().get(f"/exports/orders.csv?{SEPTEMBER}")
    assert answer.body.decode() == (
        "id,customer,email,total,created_at\n"
        "1,\"'=1+1\",\"'=2@example.com\",\"-£1,234.50\",\"15/09/2025, 13:00:00\"\n"
        "2,\"'-2+3\",\"'+a@example.com\",£12.00,\"15/09/2025, 13:00:01\"\n")


def test_negative_numbers_are_never_guarded(service, database):
    export = values_export(database, {"i": "int4", "b": "int8", "n": "numeric", "f": "float8"},
                           [(-1, -9223372036854775808, "-1.5", -2.5)])
    own = service(exports={"cells": export})
    for values in ("formatted", "raw"):
        body = own.get(f"/exports/cells.csv?{RANGE}&values={values}").body
        assert b"'" not in body
        assert body.split(b"\n")[1].replace(b'"', b"").startswith(b"-1,-9")


def test_headings_are_cells_too(service, database):
    headings = ["Amount, GBP", 'a "quoted" one', "=SUM(A1)", " lead", "@x", "plain", "two\nlines", "£"]
    types = {f"c{n}": "text" for n in range(len(headings))}
    columns = [{"name": name, "heading": heading} for name, heading in zip(types, headings)]
    export = values_export(database, types, [tuple("x" * len(headings))], columns=columns)
    body = service(exports={"cells": export}).get(f"/exports/cells.csv?{RANGE}").body
    assert body.startswith('"Amount, GBP","a ""quoted"" one","\'=SUM(A1)"," lead","\'@x",plain,"two\nlines",£\n'
                           .encode())
    assert read_rectangle(body)[0] == ["Amount, GBP", 'a "quoted" one', "'=SUM(A1)", " lead", "'@x", "plain",
                                       "two\nlines", "£"]


def test_a_column_name_that_looks_like_a_formula_is_guarded(service):
    export = Export(f'SELECT 1 AS "=1+1", 2 AS "-x", 3 AS "a,b" WHERE {IN_RANGE}')
    own = service(exports={"cells": export})
    assert own.get(f"/exports/cells.csv?{RANGE}").body.startswith(b"\"'=1+1\",\"'-x\",\"a,b\"\n")
    assert own.get(f"/exports/cells.csv?{RANGE}&values=raw").body.startswith(b'=1+1,-x,"a,b"\n')


def test_curl_and_pythons_csv_read_id_first(service, database):
    database.replace_orders([])
    own = service()
    url = own.url(f"/exports/orders.csv?{SEPTEMBER}")
    script = "import csv,sys; print(next(csv.reader(sys.stdin))[0])"
    run = subprocess.run(f"curl -sS '{url}' | {sys.executable} -c '{script}'", shell=True, capture_output=True,
                         text=True, timeout=20)
    assert run.stdout == "id\n"


def test_excel_has_a_bom_and_crlf_throughout(service, database):
    database.replace_orders([("a\nb", "é@example.com", "1.00", "GBP", "2025-09-15T12:00:00Z")])
    body = service().get(f"/exports/orders.csv?{SEPTEMBER}&excel=1").body
    assert body == ("\ufeffid,customer,email,total,created_at\r\n"
                    "1,\"a\nb\",é@example.com,£1.00,\"15/09/2025, 13:00:00\"\r\n").encode()


def test_excel_without_rows(service, database):
    database.replace_orders([])
    body = service().get(f"/exports/orders.csv?{SEPTEMBER}&excel=1").body
    assert body == b"\xef\xbb\xbfid,customer,email,total,created_at\r\n"


def test_excel_with_many_chunks_has_one_bom(service):
    export = Export(f"SELECT n FROM generate_series(1, 100000) n WHERE {IN_RANGE}")
    body = service(exports={"n": export}).get(f"/exports/n.csv?{RANGE}&excel=1").body
    assert body == b"\xef\xbb\xbfn\r\n" + b"".join(b"%d\r\n" % n for n in range(1, 100_001))
    assert body.count(b"\xef\xbb\xbf") == 1


def test_excel_and_raw_together(service):
    export = Export(f"SELECT '=1'::text AS a WHERE {IN_RANGE}")
    body = service(exports={"n": export}).get(f"/exports/n.csv?{RANGE}&excel=1&values=raw").body
    assert body == b"\xef\xbb\xbfa\r\n=1\r\n"


def test_bytes_count_the_bom(service):
    export = Export(f"SELECT 1 AS a WHERE {IN_RANGE}")
    answer = service(exports={"n": export}).get(f"/exports/n.csv?{RANGE}&excel=1")
    assert answer.trailer("Export-Bytes") == str(len(answer.body)) == "9"


def test_ids_and_codes_are_exact(service, database):
    codes = ["0012345678901234567", "12345678901234567890123", "1E10", "0x1F", "+", "007"]
    export = values_export(database, {"id": "int8", "code": "text"},
                           [(9007199254740993 + n, code) for n, code in enumerate(codes)])
    records = read_rectangle(service(exports={"c": export}).get(f"/exports/c.csv?{RANGE}").body)
    assert [r[0] for r in records[1:]] == [str(9007199254740993 + n) for n in range(6)]
    assert [r[1] for r in records[1:]] == ["0012345678901234567", "12345678901234567890123", "1E10", "0x1F", "'+", "007"]


def test_order_ids_have_no_grouping(service, database):
    database.replace_orders([])
    database.execute("INSERT INTO orders VALUES (1234567890123456789, 'a', 'b', 1, 'GBP', '2025-09-15')")
    body = service().get(f"/exports/orders.csv?{SEPTEMBER}").body
    assert body.split(b"\n")[1].startswith(b"1234567890123456789,a,b,")


def test_pythons_csv_module_and_the_strict_reader_agree(one_text):
    values = [value for value, _ in HARMLESS] + [v for v in NAUGHTY if len(v) < 2_000]
    body = one_text(values, "&values=raw")
    loose = list(csv.reader(io.StringIO(body.decode(), newline="")))
    strict = [[cell or "" for cell in record] for record in read(body)]
    assert loose == strict


@pytest.mark.parametrize("bad", [b'a"b\n', b'"a"b\n', b'"a\n', b"a\rb\n", b"a,b", b"a,b\r\n", b'a,"b" \n'])
def test_the_strict_reader_is_strict(bad):
    with pytest.raises(NotCsv):
        read(bad)


def test_the_strict_reader_reads_what_is_right():
    assert read(b'a,"b""c",,""\n"\r\n",x,y,z\n') == [["a", 'b"c', None, ""], ["\r\n", "x", "y", "z"]]
