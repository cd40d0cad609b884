"""Mixed load on one service for a while, what it cost, and a picture of that."""

import json
import random
import threading
import time

from .exports import RANGE
from .metrics import Metrics
from .reports import ask_report
from .wire import WHOLE, Connection

MIB = 1 << 20


class Soak:
    """Clients of all kinds, each on a thread of its own, until stop(). `expected` is the whole body of the
    export `wide`; `bad` fails half-way."""

    def __init__(self, service, database, expected):
        self._service, self._database, self._expected = service, database, expected
        self._end = threading.Event()
        self.counts, self.wrong, self.samples = {}, [], []
        self._lock = threading.Lock()
        kinds = [self._download, self._download, self._slow, self._leave, self._fail, self._look, self._report]
        self._threads = [threading.Thread(target=self._loop, args=(kind, seed), daemon=True)
                         for seed, kind in enumerate(kinds)]

    def run(self, seconds, every):
        """The samples: one each `every` seconds."""
        for each in self._threads:
            each.start()
        begun = time.monotonic()
        while (now := time.monotonic() - begun) < seconds:
            self.samples.append(self._sample(now))
            time.sleep(every)
        self._end.set()
        for each in self._threads:
            each.join(90)
        return self.samples

    def growth(self):
        """Bytes of memory that the second half of the time added: the medians of its two quarters apart."""
        memory = [each["memory"] for each in self.samples]
        quarter = len(memory) // 4
        return median(memory[-quarter:]) - median(memory[-2 * quarter:-quarter])

    def _loop(self, kind, seed):
        chance = random.Random(seed)
        while not self._end.is_set():
            try:
                name, right = kind(chance)
            except Exception as fault:  # a test thread's own fault has to be seen as well
                name, right = kind.__name__, f"{type(fault).__name__}: {fault}"
            with self._lock:
                self.counts[name] = self.counts.get(name, 0) + 1
                if right is not True:
                    self.wrong.append((name, right))

    def _download(self, _):
        answer = self._service.get(f"/exports/wide.csv?{RANGE}")
        return "whole", (answer.ended, answer.body) == (WHOLE, self._expected) or repr(answer)[:300]

    def _slow(self, _):
        with Connection(self._service.port, rcvbuf=16384, timeout=60) as connection:
            connection.request(f"/exports/wide.csv?{RANGE}")
            answer = connection.head()
            connection.drip(400_000, 5)
            answer = connection.body_of(answer)
        return "slow", (answer.ended, answer.body) == (WHOLE, self._expected) or repr(answer)[:300]

    def _leave(self, chance):
        with Connection(self._service.port, rcvbuf=65536) as connection:
            connection.request(f"/exports/wide.csv?{RANGE}")
            connection.take(chance.randrange(1, 2_000_000))
            if chance.random() < 0.5:
                connection.reset()
        return "left", True

    def _fail(self, _):
        answer = self._service.get(f"/exports/bad.csv?{RANGE}")
        time.sleep(0.2)
        return "failed", answer.ended != WHOLE or repr(answer)[:300]

    def _look(self, chance):
        target, method = chance.choice((("/exports", "GET"), (f"/exports/wide/estimate?{RANGE}", "GET"),
                                        (f"/exports/wide.csv?{RANGE}", "HEAD"), ("/exports/nothing.csv", "GET")))
        answer = self._service.get(target, method=method)
        time.sleep(0.05)
        return "looked", answer.status == (404 if "nothing" in target else 200) or repr(answer)[:300]

    def _report(self, _):
        answer = ask_report(self._service, {"from": "2025-09-01", "to": "2025-10-01"})
        time.sleep(0.5)
        return "report", answer.status == 200 or repr(answer)[:300]

    def _sample(self, now):
        metrics = Metrics(self._service)
        return {"seconds": round(now, 1), "memory": self._service.memory(),
                "delay_p99": metrics["exportd_loop_delay_p99_seconds"],
                "delay_max": metrics["exportd_loop_delay_max_seconds"],
                "backends": len(self._database.backends())}


def median(values):
    return sorted(values)[len(values) // 2]


def save(soak, stem):
    """STEM.json and STEM.svg."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_suffix(".json").write_text(json.dumps({"counts": soak.counts, "wrong": soak.wrong,
                                                     "samples": soak.samples}), encoding="utf-8")
    stem.with_suffix(".svg").write_text(plot(soak), encoding="utf-8")


WIDTH, HEIGHT, LEFT, TOP, GAP = 760, 150, 70, 56, 58


def plot(soak):
    """Memory, and the loop's delay, over time."""
    samples = soak.samples
    memory = [each["memory"] / MIB for each in samples]
    p99, most = ([each[key] * 1e3 for each in samples] for key in ("delay_p99", "delay_max"))
    minutes = [each["seconds"] / 60 for each in samples]
    asked = sum(soak.counts.values())
    parts = [f'<text x="{LEFT}" y="24" class="title">{asked:,} requests in {minutes[-1]:.0f} minutes of mixed load</text>']
    parts += panel(0, "Resident memory, MiB", minutes, [("memory", memory)])
    parts += panel(1, "Loop delay over 10 s, ms", minutes, [("max", most), ("p99", p99)])
    height = TOP + 2 * (HEIGHT + GAP)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + LEFT + 70} {height}" '
            'font-family="Lato, DejaVu Sans, sans-serif" font-size="13">\n'
            "<style>text{fill:#333}.title{font-size:16px;font-weight:bold}.grid{stroke:#ddd}"
            ".memory,.p99{stroke:#1f5fa8}.max{stroke:#c8741a}"
            "polyline{fill:none;stroke-width:1.6;stroke-linejoin:round}</style>\n"
            f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n")


def panel(index, title, minutes, lines):
    top = TOP + index * (HEIGHT + GAP)
    most = nice(max(max(values) for _, values in lines))
    across = max(minutes[-1], 1e-9)
    parts = [f'<text x="{LEFT}" y="{top - 8}">{title}</text>']
    for step in range(5):
        y = top + HEIGHT - step * HEIGHT / 4
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{most * step / 4:g}</text>')
    for step in range(6):
        x = LEFT + step * WIDTH / 5
        label = f"{across * step / 5:.0f}" if across >= 5 else f"{across * step / 5:.1f}"
        parts.append(f'<text x="{x:.1f}" y="{top + HEIGHT + 18}" text-anchor="middle">{label} min</text>')
    for name, values in lines:
        points = " ".join(f"{LEFT + m / across * WIDTH:.1f},{top + HEIGHT * (1 - v / most):.1f}"
                          for m, v in zip(minutes, values, strict=True))
        parts.append(f'<polyline class="{name}" points="{points}"/>')
        if len(lines) > 1:
            y = top + HEIGHT * (1 - values[-1] / most)
            parts.append(f'<text x="{LEFT + WIDTH + 6}" y="{y + 4:.1f}">{name}</text>')
    return parts


def nice(value):
    """A round number that is no smaller, and can be quartered."""
    power = 1.0
    while power * 10 < value:
        power *= 10
    while power > value > 0:
        power /= 10
    return next(power * factor for factor in (1, 2, 4, 6, 8, 10) if power * factor >= value)
