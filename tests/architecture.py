#!/usr/bin/python3
"""Checks that the source keeps to the plan of its rooms.

Usage: architecture.py [ROOT]. Prints one line for each breach and exits 1 if there is any.
"""
import pathlib
import re
import sys

# Which modules each module may include. `rows`, the seam between producer, pump and consumer,
# is open to all. Arrows point down only: a cycle in this table is an error in the table.
GROUND = {"observe", "format", "reports", "access", "work", "sql", "curl", "csv", "rows"}
MAY_USE = {
    "rows": set(),
    "csv": {"rows"},
    "format": {"rows"},
    "observe": {"rows"},
    "access": {"rows", "observe", "work", "sql", "curl"},
    "work": {"rows"},
    "sql": set(),
    "curl": set(),
    "reports": {"rows", "format", "sql"},
    "exports": {"rows", "csv", "format", "observe"},
    "pg": {"rows", "observe", "work"},
    "ops": {"rows", "observe"},
    "jobs": {"rows", "exports", "access", "work", "sql", "curl", "observe"},
    "http": {"rows", "exports", "access", "jobs", "reports", "work", "observe"},
    "app": GROUND | {"exports", "pg", "ops", "jobs", "http"},
    "main": {"app"},
}

# Headers of other projects, and the only places that may include them.
CONFINED = [
    (r"boost/beast\b", ["src/http/", "src/ops/"]),
    (r"libpq-fe\.h|libpq-events\.h|libpq/|postgres_ext\.h", ["src/pg/"]),
    (r"unicode/", ["src/format/"]),
    (r"spdlog/", ["src/observe/"]),
    (r"prometheus/", ["src/observe/"]),
    (r"toml\+\+/", ["src/access/", "src/app/", "src/exports/"]),
    (r"CLI/", ["src/app/"]),
    (r"pqxx/", ["src/sql/"]),
    (r"curl/", ["include/exportd/curl/", "src/curl/", "src/access/", "src/jobs/"]),
    (r"rhonabwy\.h|jansson\.h", ["src/access/"]),
    (r"pugixml\.hpp", ["src/jobs/"]),
    (r"cairo|pango", ["src/reports/"]),
]
UMBRELLAS = {"boost/asio.hpp", "boost/beast.hpp", "boost/url.hpp"}
MOST_LINES = 350

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def module_of(path):
    """The module that a file of src/ or include/exportd/ belongs to."""
    parts = path.parts[1:] if path.parts[0] == "src" else path.parts[2:]
    return parts[0] if len(parts) > 1 else path.stem


def used_module(path, quote, header):
    """The module of an included header of this project, or None for any other header."""
    if header.startswith("exportd/"):
        return header.split("/")[1]
    if quote == '"':
        parts = (path.parent / header).parts
        while ".." in parts:
            i = parts.index("..")
            parts = parts[: i - 1] + parts[i + 1 :]
        return module_of(pathlib.Path(*parts))
    return None


def check_include(path, quote, header):
    module = module_of(path)
    used = used_module(path, quote, header)
    if used is not None and used != module and used not in MAY_USE.get(module, set()):
        yield f"{module} must not use {used}: {header}"
    for pattern, places in CONFINED:
        if re.match(pattern, header) and not any(path.as_posix().startswith(p) for p in places):
            yield f"{header} belongs under {' or '.join(places)} only"
    if header in UMBRELLAS:
        yield f"{header} includes everything: name the parts"


def check_file(root, path):
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    if len(lines) > MOST_LINES:
        yield f"{path}: {len(lines)} lines, over {MOST_LINES}"
    if module_of(path) not in MAY_USE and path != pathlib.Path("src/separate_compilation.cpp"):
        yield f"{path}: no module of the plan"
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line)
        if found:
            for breach in check_include(path, found[1], found[2]):
                yield f"{path}:{number}: {breach}"


def check_mirror(root, path):
    """A source has a header of its name, or begins with the header of its module it is part of."""
    if path.suffix != ".cpp" or path.stem in ("main", "separate_compilation"):
        return
    module = module_of(path)
    places = [root / "include/exportd" / module, root / path.parent]
    if any((place / (path.stem + ".hpp")).exists() for place in places):
        return
    includes = filter(None, map(INCLUDE.match, (root / path).read_text(encoding="utf-8").splitlines()))
    first = next(includes, None)
    if first is None or used_module(path, first[1], first[2]) != module:
        yield f"{path}: has no header include/exportd/{module}/{path.stem}.hpp"


def cycles():
    """Modules that can reach themselves through MAY_USE."""
    for start in MAY_USE:
        seen, todo = set(), list(MAY_USE[start])
        while todo:
            module = todo.pop()
            if module not in seen:
                seen.add(module)
                todo.extend(MAY_USE[module])
        if start in seen:
            yield f"the plan has a cycle through {start}"


def check(root):
    yield from cycles()
    files = sorted(p.relative_to(root) for top in ("src", "include") for p in (root / top).rglob("*.[ch]pp"))
    if not files:
        yield f"{root}: no sources"
    for path in files:
        yield from check_file(root, path)
        yield from check_mirror(root, path)
    for tests in sorted((root / "tests/unit").iterdir()):
        if tests.is_dir() and tests.name not in MAY_USE:
            yield f"tests/unit/{tests.name}: no module of the plan"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    breaches = list(check(root.resolve()))
    print("\n".join(breaches) if breaches else "the plan holds")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
