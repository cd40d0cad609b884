"""Any query that someone puts into the configuration."""

import math
import struct

import pytest

from support.exports import IN_RANGE, RANGE, Export, series, values_export
from support.rfc4180 import read, read_rectangle
from support.wire import WHOLE


@pytest.fixture
def body(service):
    """The body of one export, formatted and raw."""
    def fetch(sql, query="", **settings):
        own = service(exports={"any": Export(sql, **settings)})
        answer = own.get(f"/exports/any.csv?{RANGE}{query}")
        assert (answer.status, answer.ended) == (200, WHOLE), answer
        return answer.text
    return fetch


FORMS = {
    "a CTE": (f"WITH t AS (SELECT 1 AS n UNION ALL SELECT 2) SELECT n FROM t WHERE {IN_RANGE} ORDER BY n", "n\n1\n2\n"),
    "a union": (f"SELECT 1 AS n WHERE {IN_RANGE} UNION ALL SELECT 2", "n\n1\n2\n"),
    "VALUES": ("VALUES (1, 'a'::text), (2, 'b')", "column1,column2\n1,a\n2,b\n"),
    "a limit of its own": (f"SELECT n FROM generate_series(1, 9) n WHERE {IN_RANGE} ORDER BY n DESC LIMIT 2", "n\n9\n8\n"),
    "an offset": (f"SELECT n FROM generate_series(1, 4) n WHERE {IN_RANGE} ORDER BY n OFFSET 2", "n\n3\n4\n"),
    "a comment at the end": (f"SELECT 1 AS n WHERE {IN_RANGE} -- the end", "n\n1\n"),
    "a comment at the beginning": (f"-- orders; really\n/* $9 ; */ SELECT 1 AS n WHERE {IN_RANGE}", "n\n1\n"),
    "line ends at the end": (f"SELECT 1 AS n WHERE {IN_RANGE}\n\n\n", "n\n1\n"),
    "CRLF line ends": (f"SELECT 1 AS n\r\nWHERE {IN_RANGE}\r\n", "n\n1\n"),
    "a semicolon in a string": (f"SELECT 'a;b'::text AS s WHERE {IN_RANGE}", "s\na;b\n"),
    "dollar quotes": (f"SELECT $q$ it's $3 ; $q$::text AS s WHERE {IN_RANGE}", "s\n\" it's $3 ; \"\n"),
    "a parameter in a string": (f"SELECT '$1'::text AS s WHERE {IN_RANGE}", "s\n$1\n"),
    "percent signs": (f"SELECT '%s %d {{}}'::text AS s WHERE {IN_RANGE}", "s\n%s %d {}\n"),
    "only the first parameter": ("SELECT 1 AS n WHERE $1 IS NOT NULL", "n\n1\n"),
    "only the second parameter": ("SELECT 1 AS n WHERE $2 IS NOT NULL", "n\n1\n"),
    "no parameter": ("SELECT 1 AS n", "n\n1\n"),
    "parameters that are dates by context": (
        "SELECT d::date::text AS d FROM generate_series($1, $2, interval '15 days') d ORDER BY 1",
        "d\n2025-01-01\n2025-01-16\n2025-01-31\n"),
    "a parameter many times": ("SELECT 1 AS n WHERE $1 < $2 AND $1 <= $1 AND $2 > $1", "n\n1\n"),
    "a window function": (
        f"SELECT n, sum(n) OVER (ORDER BY n)::int8 AS s FROM generate_series(1, 3) n WHERE {IN_RANGE}",
        "n,s\n1,1\n2,3\n3,6\n"),
    "an aggregate without rows": ("SELECT count(*) AS n FROM orders WHERE created_at < $1 AND created_at > $2", "n\n0\n"),
    "names with capitals and spaces": (f'SELECT 1 AS "Order Number", 2 AS "größe" WHERE {IN_RANGE}', "Order Number,größe\n1,2\n"),
    "an unnamed column": (f"SELECT 1 WHERE {IN_RANGE}", "?column?\n1\n"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_query_in_this_form(body, form):
    sql, expected = FORMS[form]
    assert body(sql) == expected


@pytest.mark.parametrize("form", ["a CTE", "a comment at the end", "CRLF line ends", "a limit of its own", "VALUES"])
def test_a_query_in_this_form_can_be_counted(service, form):
    sql, expected = FORMS[form]
    own = service(exports={"any": Export(sql)}, EXPORTD_LIMITS_STREAM_ROW_LIMIT="1")
    rows = expected.count("\n") - 1
    assert own.get(f"/exports/any.csv?{RANGE}").status == (200 if rows <= 1 else 422)
    assert own.get(f"/exports/any/estimate?{RANGE}").status == 200


RAW = [
    ("boolean", "true", {"t", "true"}), ("boolean", "false", {"f", "false"}),
    ("int2", "-32768", {"-32768"}), ("int4", "2147483647", {"2147483647"}),
    ("int8", "-9223372036854775808", {"-9223372036854775808"}), ("oid", "4294967295", {"4294967295"}),
    ("numeric", "'1.10'", {"1.10"}), ("numeric(10,0)", "12345", {"12345"}), ("numeric", "'-0.000001'", {"-0.000001"}),
    ("numeric", "'10000'", {"10000"}), ("numeric", "'100010000.00010000'", {"100010000.00010000"}),
    ("text", "'é\U0001f600'", {"é\U0001f600"}), ("varchar(3)", "'abc'", {"abc"}),
    ("char(5)", "'ab'", {"ab   ", "ab"}), ("name", "'pg'", {"pg"}),
    ("json", "'{\"a\": [1, 2]}'", {'{"a": [1, 2]}'}), ("jsonb", "'{\"a\":[1,2]}'", {'{"a": [1, 2]}'}),
    ("xml", "'<a>b</a>'", {"<a>b</a>"}),
    ("uuid", "'00112233-4455-6677-8899-aabbccddeeff'", {"00112233-4455-6677-8899-aabbccddeeff"}),
    ("bytea", "'\\x00ff0a2c22'", {"\\x00ff0a2c22"}), ("bytea", "''", {"\\x"}),
    ("date", "'2025-09-01'", {"2025-09-01"}), ("time", "'12:34:56.7'", {"12:34:56.700000", "12:34:56.7"}),
    ("time", "'24:00:00'", {"24:00:00.000000", "24:00:00"}),
    ("timestamptz", "'2025-09-01T00:00:00Z'", {"2025-09-01T00:00:00.000000Z"}),
]


@pytest.mark.parametrize("kind, literal, expected", RAW, ids=[f"{kind} {literal}" for kind, literal, _ in RAW])
def test_a_value_of_this_type_is_as_stored(body, kind, literal, expected):
    text = body(f"SELECT ({literal})::{kind} AS x, NULL::{kind} AS y WHERE {IN_RANGE}", "&values=raw")
    [record] = read(text.encode())[1:]
    assert record[0] in expected
    assert record[1] is None


@pytest.mark.parametrize("kind", ["float4", "float8"])
def test_floats_come_back_as_the_same_number(body, kind):
    values = ["0", "1.5", "-0.1", "1e300" if kind == "float8" else "1e38", "1e-7", "123456.78", "3.4028235e38", "NaN",
              "Infinity", "-Infinity"]
    union = " UNION ALL ".join(f"SELECT {n} AS o, '{value}'::{kind} AS x" for n, value in enumerate(values))
    for query in ("", "&values=raw"):
        text = body(f"SELECT x FROM ({union}) t WHERE {IN_RANGE} ORDER BY o", query)
        cells = [record[0] for record in read(text.encode())[1:]]
        assert cells[-3:] == ["NaN", "Infinity", "-Infinity"]
        if query:
            single = (lambda v: struct.unpack("f", struct.pack("f", v))[0]) if kind == "float4" else (lambda v: v)
            assert [single(float(cell)) for cell in cells[:-3]] == [single(float(value)) for value in values[:-3]]
            assert not any(math.isinf(float(cell)) for cell in cells[:-3])


def test_an_enum_and_a_domain(body, database):
    database.execute("DO $$BEGIN CREATE TYPE mood AS ENUM ('sad', '=happy'); EXCEPTION WHEN duplicate_object THEN END$$")
    database.execute("DO $$BEGIN CREATE DOMAIN cents AS int8; EXCEPTION WHEN duplicate_object THEN END$$")
    sql = f"SELECT 'sad'::mood AS m, 42::cents AS c WHERE {IN_RANGE}"
    assert body(sql) == "m,c\nsad,42\n"
    assert body(sql, "&values=raw") == "m,c\nsad,42\n"


def test_an_interval_is_readable(body):
    text = body(f"SELECT interval '1 day 02:03:04' AS i WHERE {IN_RANGE}", "&values=raw")
    assert "1" in text and "02:03:04" in text or "P1DT2H3M4S" in text


def test_numbers_are_grouped_only_when_asked_for(service, database):
    columns = [{"name": "a"}, {"name": "b", "format": "number"}, {"name": "c", "format": "plain"},
               {"name": "d", "format": "number"}, {"name": "e", "format": "text"}]
    export = values_export(database, {"a": "int8", "b": "int8", "c": "numeric", "d": "numeric", "e": "int4"},
                           [(1234567, 1234567, "1234567.8910", "1234567.8915", 1234567)], columns=columns)
    own = service(exports={"numbers": export})
    assert own.get(f"/exports/numbers.csv?{RANGE}").text == (
        'a,b,c,d,e\n1234567,"1,234,567",1234567.8910,"1,234,567.8915",1234567\n')
    assert own.get(f"/exports/numbers.csv?{RANGE}&values=raw").text == (
        "a,b,c,d,e\n1234567,1234567,1234567.8910,1234567.8915,1234567\n")


def test_columns_choose_order_and_heading(service):
    export = Export(f"SELECT 1 AS a, 2 AS b, 3 AS c WHERE {IN_RANGE}",
                    columns=[{"name": "c", "heading": "Third"}, {"name": "a"}])
    own = service(exports={"chosen": export})
    assert own.get(f"/exports/chosen.csv?{RANGE}").text == "Third,a\n3,1\n"
    assert own.get(f"/exports/chosen.csv?{RANGE}&values=raw").text == "a,b,c\n1,2,3\n"


def test_a_column_can_be_shown_twice_in_two_formats(service):
    export = Export(f"SELECT '2025-07-01T12:00:00Z'::timestamptz AS at WHERE {IN_RANGE}",
                    columns=[{"name": "at", "heading": "day", "format": "date"},
                             {"name": "at", "heading": "time", "format": "time"}])
    own = service(exports={"twice": export})
    assert own.get(f"/exports/twice.csv?{RANGE}").text == "day,time\n01/07/2025,13:00:00\n"


def test_one_column_of_nulls_keeps_its_records(body):
    text = body(f"SELECT NULL::text AS x FROM generate_series(1, 3) WHERE {IN_RANGE}")
    assert text.count("\n") == 4


def test_a_hundred_columns(body):
    names = ", ".join(f"{n} AS c{n}" for n in range(100))
    text = body(f"SELECT {names} WHERE {IN_RANGE}")
    assert text == ",".join(f"c{n}" for n in range(100)) + "\n" + ",".join(str(n) for n in range(100)) + "\n"


def test_sixteen_hundred_columns(body):
    names = ", ".join(f"{n} AS c{n}" for n in range(1600))
    header, row = read(body(f"SELECT {names} WHERE {IN_RANGE}").encode())
    assert (len(header), row[-1]) == (1600, "1599")


def test_rows_of_very_different_sizes(service):
    own = service(exports={"mixed": series(300, "n, repeat('x', CASE WHEN n % 100 = 0 THEN 3000000 ELSE n END) AS f")})
    records = read_rectangle(own.get(f"/exports/mixed.csv?{RANGE}").body)
    assert [len(record[1]) for record in records[1:]] == [3_000_000 if n % 100 == 0 else n for n in range(1, 301)]


def test_compressed_and_out_of_line_values(service, database):
    database.execute("CREATE TABLE IF NOT EXISTS toasted (n int, v text)")
    database.execute("TRUNCATE toasted")
    database.execute("INSERT INTO toasted SELECT n, repeat(md5(n::text), 3000) FROM generate_series(1, 50) n")
    own = service(exports={"toasted": Export(f"SELECT n, v FROM toasted WHERE {IN_RANGE} ORDER BY n")})
    records = read_rectangle(own.get(f"/exports/toasted.csv?{RANGE}").body)
    assert all(len(record[1]) == 96_000 for record in records[1:]) and len(records) == 51


def test_a_latin1_database_arrives_as_utf_8(service, database):
    with database.sibling("LATIN1") as url:
        own = service(exports={"orders": Export(f"SELECT U&'caf\\00e9 \\00a3'::text AS x WHERE {IN_RANGE}")},
                      database_url=url)
        assert own.get(f"/exports/orders.csv?{RANGE}").text == "x\ncafé £\n"
        own.stop()


def test_a_table_that_is_altered_while_the_service_runs(service, database):
    """Old plans and old column types are not reused."""
    database.execute("DROP TABLE IF EXISTS altered")
    database.execute("CREATE TABLE altered (x int)")
    database.execute("INSERT INTO altered VALUES (7)")
    own = service(exports={"altered": Export(f"SELECT x FROM altered WHERE {IN_RANGE}")})
    assert own.get(f"/exports/altered.csv?{RANGE}").text == "x\n7\n"
    database.execute("ALTER TABLE altered ALTER x TYPE text USING 'n' || x")
    answer = own.get(f"/exports/altered.csv?{RANGE}")
    assert answer.text == "x\nn7\n" if answer.status == 200 else answer.status == 502
    database.execute("ALTER TABLE altered ALTER x TYPE inet USING '127.0.0.1'")
    assert own.get(f"/exports/altered.csv?{RANGE}").status == 502
    database.execute("ALTER TABLE altered RENAME x TO y")
    assert own.get(f"/exports/altered.csv?{RANGE}").status == 502
    assert own.get("/healthz").status == 200


def test_prepared_statements_are_not_needed(service, database):
    """As behind PgBouncer in transaction mode: nothing of the session's is used."""
    own = service(exports={"small": series(3, "n")}, EXPORTD_DATABASE_POOL_SIZE="1")
    for _ in range(3):
        assert own.get(f"/exports/small.csv?{RANGE}").status == 200
    queries = " ".join(query for _, _, query in database.backends())
    assert "PREPARE" not in queries and "WITH HOLD" not in queries and "SET SESSION" not in queries
