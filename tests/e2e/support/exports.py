"""Export definitions that a test adds to the ones the service ships."""

from dataclasses import dataclass, field
from functools import lru_cache

# The range every inline export is asked for; its query only has to use both parameters.
RANGE = "from=2025-01-01&to=2025-02-01"
IN_RANGE = "$1::timestamptz < $2::timestamptz"


@dataclass
class Export:
    """One export: its SQL and what its TOML says. `columns` are dicts of [[columns]] keys."""
    sql: str
    columns: list = field(default_factory=list)
    title: str = "Test"
    locale: str = "en-GB"
    time_zone: str = "Europe/London"
    max_range: str = "366d"
    settings: dict = field(default_factory=dict)

    def toml(self, name):
        keys = {"title": self.title, "sql": f"{name}.sql", "locale": self.locale,
                "time_zone": self.time_zone, "max_range": self.max_range, **self.settings}
        lines = [f"{key} = {_toml(value)}" for key, value in keys.items()]
        for column in self.columns:
            lines.append("[[columns]]")
            lines += [f"{key} = {_toml(value)}" for key, value in column.items()]
        return "\n".join(lines) + "\n"


def _toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    escaped = "".join(c if c >= " " and c not in '"\\' else f"\\u{ord(c):04x}" for c in value)
    return f'"{escaped}"'


def values_export(database, types, rows, **settings):
    """An export of literal rows. `types` maps each column's name to its SQL type."""
    names = list(types)
    lines = []
    for number, row in enumerate(rows):
        cells = ", ".join(f"CAST({database.literal(value)} AS {types[name]})"
                          for name, value in zip(names, row, strict=True))
        lines.append(f"({number}, {cells})")
    quoted = ", ".join(f'"{name}"' for name in names)
    sql = (f"SELECT {quoted} FROM (VALUES {', '.join(lines)}) AS v(ordinal, {quoted})\n"
           f"WHERE {IN_RANGE} ORDER BY ordinal")
    return Export(sql, **settings)


def series(count, select, **settings):
    """An export of `select` over n = 1 .. count."""
    return Export(f"SELECT {select} FROM generate_series(1, {count}) AS n WHERE {IN_RANGE}", **settings)


# 200 bytes a row, so that no kernel buffer swallows the rest of 200,000.
WIDE = "n, repeat('abcdefghij', 20) AS filler"


def wide_line(n):
    return f"{n},{'abcdefghij' * 20}\n".encode()


@lru_cache(maxsize=8)
def wide_body(count):
    return b"n,filler\n" + b"".join(wide_line(n) for n in range(1, count + 1))


def fails_at(row, count):
    """Divides by zero at `row` of `count`."""
    return series(count, f"{WIDE}, 1 / ({row} - n) AS quotient",
                  columns=[{"name": "n"}, {"name": "filler"}])


def sleeps_at(row, count, seconds, **settings):
    """Stands still for `seconds` before it gives `row`.

    Without a row limit unless `settings` set one, because counting ahead would stand still as well.
    """
    return series(count, f"{WIDE}, pg_sleep(CASE WHEN n = {row} THEN {seconds} ELSE 0 END)::text AS pause",
                  columns=[{"name": "n"}, {"name": "filler"}],
                  settings={"stream_row_limit": 0, **settings})
