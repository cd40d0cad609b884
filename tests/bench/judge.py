"""The figures that the service is held to, and whether a run met them."""

import math


class Verdict:
    """One promise: what it is, the figure, its limit; `met` is None where nothing was measured."""

    def __init__(self, promise, figure, limit, unit, at_least=False, note="not measured"):
        self.promise, self.limit, self.unit, self.at_least, self.note = promise, limit, unit, at_least, note
        self.figure = figure
        self.met = None if figure is None else (figure >= limit if at_least else figure <= limit)

    def text(self):
        sign = ">=" if self.at_least else "<="
        figure = self.note if self.figure is None else f"{number(self.figure)}{self.unit}"
        word = {True: "pass", False: "MISS", None: "-"}[self.met]
        return f"| {self.promise} | {sign} {number(self.limit)}{self.unit} | {figure} | {word} |"


def number(value):
    if math.isinf(value):
        return "failed"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _get(part, *keys):
    for key in keys:
        if part is None:
            return None
        part = part.get(key)
    return part


def _ratio(results, other):
    """How long exportd takes for a row, with the other reader as 1."""
    ours, theirs = _get(results, "readers", "exportd"), _get(results, "readers", other)
    return ours["s_per_million"] / theirs["s_per_million"] if ours and theirs else None


def _inverse(value):
    return None if value is None else 1 / value


def _excess(first_byte):
    return None if first_byte is None else first_byte["first_byte_ms"] - first_byte["first_row_ms"]


def verdicts(results):
    ours = _get(results, "readers", "exportd")
    many = results.get("many_at_once") or {}
    sixteen, sixty_four = many.get("16"), many.get("64")
    return [
        Verdict("time, against `psql` `COPY ... csv` to nowhere", _ratio(results, "copy"), 0.8, " x"),
        Verdict("time, against the bare cursor", _ratio(results, "cursor"), 1.15, " x"),
        Verdict("rows/s, against the streamed Node.js handler", _inverse(_ratio(results, "streamed")), 15, " x",
                at_least=True),
        Verdict("service CPU per 1,000,000 rows", _get(ours, "cpu_s_per_million"), 0.30, " s"),
        Verdict("loop delay p99, one export", _get(ours, "delay_ms", "p99"), 1, " ms"),
        Verdict("loop delay max, one export", _get(ours, "delay_ms", "max"), 5, " ms"),
        Verdict("loop delay p99, 16 exports", _get(sixteen, "delay_ms", "p99"), 5, " ms"),
        Verdict("`/healthz` worst, 16 exports", _get(sixteen, "healthz_worst_ms"), 25, " ms"),
        Verdict("peak memory at 10,000,000 rows", _get(results, "ten_million", "peak_mib"), 40, " MiB",
                note="not run (`--ten-million`)"),
        Verdict("memory for each further export, of 16", _get(sixteen, "mib_per_export"), 1, " MiB"),
        Verdict("memory for each further export, of 64", _get(sixty_four, "mib_per_export"), 1, " MiB"),
        Verdict("memory for each slow reader, of 200", _get(results, "slow_readers", "mib_per_reader"), 1, " MiB"),
        Verdict("200 idle connections", _get(results, "idle_connections", "grown_mib"), 10, " MiB"),
        Verdict("first byte after the query's first row", _excess(results.get("first_byte")), 3, " ms"),
    ]
