"""The benchmark's order of events. Started by run.sh; see there for what it needs."""

import argparse
import contextlib
import json
import os
import shutil
import signal
import statistics
import sys

import contenders
import database
import instructions
import judge
import machine
import report
import scenarios
import servers
from contenders import BareCursor, PsqlCopy, ServedByCurl, interleave

OUTPUT = os.path.join(servers.ROOT, "build", "bench")


def arguments():
    parser = argparse.ArgumentParser(prog="tests/bench/run.sh", description=(
        "Measures exportd beside psql, a bare cursor and Node.js on the same rows of one database."))
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds (default 5)")
    parser.add_argument("--rows", type=int, default=1_000_000, help="orders in the table (default 1000000)")
    parser.add_argument("--streamed-rows", type=int, default=200_000, help="rows for the streamed Node.js handler")
    parser.add_argument("--naive-rows", type=int, default=50_000, help="rows for the naive one, at most 200000")
    parser.add_argument("--quick", action="store_true", help="one round of 200,000 rows, no Node.js, no crowds")
    parser.add_argument("--go", action="store_true", help="also Go with Debian's pgx")
    parser.add_argument("--ten-million", action="store_true", help="also one export of 10,000,000 rows")
    parser.add_argument("--instructions", action="store_true", help="only instructions_per_row, by callgrind")
    parser.add_argument("--database-url", help="a database to create the table orders in, instead of a private server")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.rows = 1, min(options.rows, 200_000)
    if options.instructions:
        options.rows = min(options.rows, instructions.MORE)
    options.naive_rows = min(options.naive_rows, 200_000)
    return options


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def log_path(name):
    return os.path.join(OUTPUT, name + ".log")


def start(stack, kind, orders):
    return stack.enter_context(kind(orders.url, log_path(kind.__name__)))


def readers(stack, orders, options, notes):
    """The contenders by key, in the order of one round."""
    everything = orders.first(options.rows)
    found = {"exportd": ServedByCurl(start(stack, servers.Exportd, orders), everything),
             "copy": PsqlCopy(orders.url, everything)}
    if BareCursor.built():
        found["cursor"] = BareCursor(orders.url, everything)
    else:
        notes.append("The bare cursor was not measured: configure with `-DEXPORTD_BENCH=ON` and build `cursor_drain`.")
    if not options.quick:
        found["streamed"] = ServedByCurl(start(stack, servers.NodeStreamed, orders), orders.first(options.streamed_rows))
        found["naive"] = ServedByCurl(start(stack, servers.NodeNaive, orders), orders.first(options.naive_rows))
        notes.append("Where Node.js ran fewer rows, its figures per row are scaled from them; the naive handler's "
                     "loop delay and memory grow with the rows and are those of the rows it ran.")
    if options.go:
        found["go"] = ServedByCurl(start(stack, servers.GoServer, orders), everything)
    return found


def figures(contender):
    delays = [sample.delay for sample in contender.samples]
    return {
        "name": contender.name,
        "rows": contender.rows.rows,
        "s_per_million": contender.per_million(lambda sample: sample.wall_s),
        "cpu_s_per_million": contender.per_million(lambda sample: sample.cpu_s),
        "peak_mib": contender.worst(lambda sample: sample.peak_kib) / 1024,
        "delay_ms": None if None in delays else {key: pick(delay[key] for delay in delays) for key, pick in (
            ("p50", statistics.median), ("p99", statistics.median), ("max", max))},
        "delay_p99_worst_ms": None if None in delays else max(delay["p99"] for delay in delays),
        "healthz_worst_ms": contender.worst(lambda sample: sample.healthz_ms),
        "wall_s": [round(sample.wall_s, 4) for sample in contender.samples],
    }


def side_by_side(orders, options, results):
    with contextlib.ExitStack() as stack:
        found = readers(stack, orders, options, results["notes"])
        say(f"{options.rounds} rounds of {', '.join(found)}")
        interleave(list(found.values()), options.rounds)
        results["readers"] = {key: figures(contender) for key, contender in found.items()}
        ours = found["exportd"]
        results["bytes_per_row"] = ours.samples[0].bytes_read / ours.rows.rows
        results["first_byte"] = scenarios.first_byte(ours.server, orders.first(1000))


def crowds(orders, options, results):
    """Each on a service just started, so that its growth is its own."""
    many = results["many_at_once"] = {}
    for key, kind, count, rows in (("16", servers.Exportd, 16, options.rows),
                                   ("64", servers.Exportd, 64, options.rows // 4),
                                   ("streamed 16", servers.NodeStreamed, 16, options.streamed_rows // 4)):
        say(f"{key} at once")
        with kind(orders.url, log_path(kind.__name__)) as server:
            ServedByCurl(server, orders.first(1000)).run()
            many[key] = scenarios.many_at_once(server, orders.first(rows), count)
    say("slow readers, idle connections")
    with servers.Exportd(orders.url, log_path("Exportd")) as server:
        ServedByCurl(server, orders.first(1000)).run()
        results["idle_connections"] = scenarios.idle_connections(server)
        results["slow_readers"] = scenarios.slow_readers(server, orders.first(options.rows))


def ten_million(orders, results):
    say("10,000,000 rows")
    rows = orders.add_ten_million()
    with servers.Exportd(orders.url, log_path("Exportd")) as server:
        results["ten_million"] = scenarios.ten_million(server, rows)


def write(results):
    results["verdicts"] = [{"promise": verdict.promise, "figure": verdict.figure, "limit": verdict.limit,
                            "met": verdict.met} for verdict in judge.verdicts(results)]
    text = report.markdown(results)
    with open(os.path.join(OUTPUT, "report.md"), "w", encoding="utf-8") as out:
        out.write(text)
    with open(os.path.join(OUTPUT, "report.json"), "w", encoding="utf-8") as out:
        json.dump(results, out, indent=2)
    print(text)


def run(orders, options):
    say(f"creating {orders.rows:,} orders")
    orders.create()
    if options.instructions:
        print("instructions_per_row", instructions.per_row(orders))
        return
    results = {"machine": machine.describe(orders.url), "rounds": options.rounds, "notes": []}
    if not options.quick:
        kinds = [servers.Exportd, servers.NodeStreamed] + ([servers.GoServer] if options.go else [])
        results["notes"].append(contenders.compare_bytes(orders, kinds, options.streamed_rows, OUTPUT))
    side_by_side(orders, options, results)
    if not options.quick:
        crowds(orders, options, results)
        if shutil.which("valgrind"):
            say("instructions per row")
            results["instructions_per_row"] = instructions.per_row(orders)
    if options.ten_million:
        ten_million(orders, results)
    write(results)


def main():
    options = arguments()
    os.makedirs(OUTPUT, exist_ok=True)
    # So that the private server and the services are stopped then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with contextlib.ExitStack() as stack:
        url = options.database_url or stack.enter_context(database.PrivateCluster()).url
        run(database.Orders(url, options.rows), options)


if __name__ == "__main__":
    main()
