"""The report as Markdown, from the same figures that go into report.json."""

import judge
from judge import number


def _row(*cells):
    return "| " + " | ".join(cells) + " |"


def _cell(value, digits=None):
    if value is None:
        return "-"
    return number(value) if digits is None else f"{value:.{digits}f}"


def _delay(delay):
    return "-" if not delay else " / ".join(_cell(delay[key], 1) for key in ("p50", "p99", "max"))


def _readers(results):
    ours = results["readers"]["exportd"]["s_per_million"]
    lines = [
        _row("reader", "rows", "rows/s", "time, exportd = 1", "CPU s per 1M rows", "peak MiB",
             "loop delay p50 / p99 / max, ms", "`/healthz` worst, ms"),
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for reader in results["readers"].values():
        lines.append(_row(
            reader["name"], f"{reader['rows']:,}", f"{1e6 / reader['s_per_million']:,.0f}",
            f"{reader['s_per_million'] / ours:.2f}", _cell(reader["cpu_s_per_million"], 2),
            _cell(reader["peak_mib"], 1), _delay(reader["delay_ms"]), _cell(reader["healthz_worst_ms"], 1)))
    return lines


def _many(results):
    lines = [
        _row("at once", "rows each", "rows/s in all", "CPU s per 1M rows", "peak MiB", "MiB for each",
             "loop delay p50 / p99 / max, ms", "`/healthz` worst, ms"),
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, run in results["many_at_once"].items():
        label = f"{run['exports']} exports" + (" (Node.js, streamed)" if name.startswith("streamed") else "")
        lines.append(_row(
            label, f"{run['rows_each']:,}", f"{run['rows_per_s']:,.0f}", _cell(run["cpu_s_per_million"], 2),
            _cell(run["peak_mib"], 1), _cell(run["mib_per_export"], 2), _delay(run["delay_ms"]),
            _cell(run["healthz_worst_ms"], 1)))
    return lines


def _sentences(results):
    lines = []
    slow = results.get("slow_readers")
    if slow:
        lines.append(f"- {slow['readers']} readers at 1 KiB/s: {slow['refused_or_cut']} refused or cut, "
                     f"{slow['mib_per_reader']:.2f} MiB for each, peak {slow['peak_mib']:.1f} MiB; meanwhile an export "
                     f"of {slow['ordinary_rows']:,} rows took {slow['ordinary_export_s']:.2f} s, and `/healthz` "
                     f"{slow['healthz_worst_ms']:.1f} ms at worst.")
    idle = results.get("idle_connections")
    if idle:
        lines.append(f"- {idle['connections']} idle connections: {idle['grown_mib']:.2f} MiB more.")
    first = results.get("first_byte")
    if first:
        lines.append(f"- First byte after {first['first_byte_ms']:.2f} ms, the query's first row after "
                     f"{first['first_row_ms']:.2f} ms (medians).")
    big = results.get("ten_million")
    if big:
        lines.append(f"- {big['rows']:,} rows: {big['wall_s']:.1f} s, {big['cpu_s']:.2f} s of CPU, peak "
                     f"{big['peak_mib']:.1f} MiB.")
    if results.get("instructions_per_row") is not None:
        lines.append(f"- Instructions per row (callgrind): {results['instructions_per_row']:,}.")
    return lines + [f"- {note}" for note in results["notes"]]


def _conditions(results):
    machine = results["machine"]
    return [f"{machine['date']}; {machine['cores']} cores, {machine['cpu']}; Linux {machine['kernel']}; "
            f"PostgreSQL {machine['postgresql']} on the same machine; {machine['curl']}; Node.js {machine['node']}. "
            f"Medians of {results['rounds']} interleaved round{'s' if results['rounds'] > 1 else ''} after one that is not counted; the "
            f"greatest loop delay and `/healthz` are the worst of all rounds. exportd's p99 was "
            f"{_cell(results['readers']['exportd']['delay_p99_worst_ms'], 1)} ms in the worst one. The file has {results['bytes_per_row']:.1f} bytes a row.", ""]


def markdown(results):
    lines = ["# Benchmark", "", *_conditions(results), *_readers(results), ""]
    if results.get("many_at_once"):
        lines += [*_many(results), ""]
    lines += [*_sentences(results), "", "| promise | limit | measured | |", "|---|--:|--:|---|"]
    lines += [verdict.text() for verdict in judge.verdicts(results)]
    return "\n".join(lines) + "\n"
