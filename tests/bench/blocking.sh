#!/bin/bash
# Shows what one blocking handler does to everybody else, and what the metrics, the probes and the
# log say of it: /healthz, a route that does nothing, is asked every 10 ms while the same work of
# half a second runs four times, first on the loop, then on the pool of worker threads. Writes
# build/bench/blocking.md; takes about 40 s. Needs a built release preset and PostgreSQL's server
# programs, or --database-url URL.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

[[ -x $root/build/release/exportd ]] || {
  echo "blocking: build it first: cmake --preset release && cmake --build --preset release --target exportd" >&2
  exit 2
}
exec python3 "$here/blocking.py" "$@"
