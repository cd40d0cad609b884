#!/bin/bash
# Builds the release preset, measures build/release/exportd beside its rivals, on the same rows of
# one database, and writes build/bench/report.md and report.json. Needs PostgreSQL's server
# programs (or --database-url), psql, curl and python3; Node.js and npm without --quick; valgrind
# for --instructions; Debian's golang-go and golang-github-jackc-pgx-v4-dev for --go.
# On a machine that does nothing else; `tests/bench/run.sh --help` lists the options.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

has() {
  local wanted=$1 argument
  shift
  for argument in "$@"; do
    [[ $argument == "$wanted" ]] && return 0
  done
  return 1
}

need() {
  command -v "$1" > /dev/null || { echo "bench: $1 is missing" >&2; exit 2; }
}

install_node_packages() {
  need node
  need npm
  [[ -d $here/node/node_modules/pg-query-stream ]] || (cd "$here/node" && npm install --silent)
}

build_go() {
  need go
  mkdir -p "$root/build/bench"
  (cd "$here/go" && GO111MODULE=off GOFLAGS= GOPATH=/usr/share/gocode go build -o "$root/build/bench/go-exports" .)
}

need python3
if ! has --help "$@" && ! has -h "$@"; then
  need psql
  need curl
  need cmake
  (cd "$root" && cmake --preset release -DEXPORTD_BENCH=ON > /dev/null &&
    cmake --build --preset release --target exportd cursor_drain > /dev/null) ||
    { echo "bench: the build failed: cmake --build --preset release" >&2; exit 2; }
  if has --instructions "$@"; then
    need valgrind
  elif ! has --quick "$@"; then
    install_node_packages
  fi
  if has --go "$@"; then build_go; fi
fi

exec python3 "$here/bench.py" "$@"
