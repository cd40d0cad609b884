#!/bin/bash
# Shows what the loop feels of busy workers: the same export of 200,000 orders, alone and while every
# worker thread is busy, one with a background export of a million orders, the other with reports
# in a row. Writes build/bench/workers.md; takes about two minutes. Needs a built release preset and
# PostgreSQL's server programs, or --database-url URL.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

[[ -x $root/build/release/exportd ]] || {
  echo "workers: build it first: cmake --preset release && cmake --build --preset release --target exportd" >&2
  exit 2
}
exec python3 "$here/workers.py" "$@"
