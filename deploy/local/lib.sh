# shellcheck shell=bash
# What deploy/local/run.sh and tests/run.sh share. Sourced, never run.
#
# Sets: project (the clone's absolute path). Every function writes its progress
# to stderr and leaves stdout to its caller's results.

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

# A PG* variable of the caller's would send the demo or the tests to another server.
# shellcheck disable=SC2086
unset ${!PG@}

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
    say "$*"
    exit 1
}

# make_build_dir DIR: creates a directory under build/ that this user may write to.
make_build_dir() {
    local dir="$project/build/$1"
    { mkdir -p "$dir" && [ -w "$dir" ]; } 2>/dev/null ||
        die "cannot write to $dir; if another user built here, remove build/ and start again"
}

# run_logged LOG COMMAND...: runs it with all output in LOG; shows the end of LOG if it fails.
run_logged() {
    local log=$1 status=0
    shift
    "$@" >"$log" 2>&1 || status=$?
    [ "$status" -eq 0 ] || {
        tail -n 30 "$log" >&2
        say "failed with status $status; the whole log is $log"
    }
    return "$status"
}

# port_taken HOST PORT: true if something accepts connections there.
port_taken() { (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; }

# require_port HOST PORT VARIABLE EXAMPLE: dies, naming the variable to change, if it is taken.
require_port() {
    ! port_taken "$1" "$2" || die "port $2 on $1 is in use; free it or choose another: $3=$4"
}

# The number of compilers that fit into the processors and the free memory; some sources here
# take 1.5 GB to compile, and a compiler that is killed for memory is hard to recognise.
build_jobs() {
    local jobs fitting
    jobs=$(nproc)
    fitting=$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo 2>/dev/null) || fitting=
    if [ -n "$fitting" ] && [ "$fitting" -lt "$jobs" ]; then jobs=$fitting; fi
    if [ "$jobs" -lt 1 ]; then jobs=1; fi
    echo "${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}"
}

# build_preset PRESET TARGET...: configures (if it has to) and builds; output to stdout. The caller's
# directory stays.
build_preset() (
    preset=$1 ninja="$project/build/$1/build.ninja"
    shift
    cd "$project" || return
    # What was compiled in one checkout need not be compiled in the next.
    export CCACHE_BASEDIR=$project CCACHE_NOHASHDIR=1
    if [ ! "$ninja" -nt CMakePresets.json ] || [ ! "$ninja" -nt CMakeLists.txt ]; then
        cmake --preset "$preset" || return
    fi
    cmake --build --preset "$preset" -j "$(build_jobs)" --target "$@"
)

# shellcheck source=deploy/local/packages.sh
. "$project/deploy/local/packages.sh"
# shellcheck source=deploy/local/postgres.sh
. "$project/deploy/local/postgres.sh"
