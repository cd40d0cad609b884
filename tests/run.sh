#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#
#   tests/run.sh             everything: formatting, the unit tests under the address, undefined-
#                            behaviour and thread sanitizers, a minute of each fuzzer, and the
#                            whole-process tests
#   tests/run.sh --no-asan   the unit tests without sanitizers and no fuzzers: built in a third of
#                            the time
#   tests/run.sh --quick     the same without the whole-process tests
#   tests/run.sh --e2e-asan  the whole-process tests alone, of a program with the address sanitizer
#
# Tests use a private PostgreSQL that lives as long as this script. Logs are in build/tests/. The
# last line says `N passed, N failed`; the exit status is 0 only if nothing failed.

# shellcheck disable=SC2317 # stages are called by name
set -euo pipefail

# shellcheck source=deploy/local/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../deploy/local/lib.sh"

# Layouts differ between clang-format's major versions; this is the one the code is written with.
clang_format_version=14

logs=$project/build/tests
passed=0 failed=0
database_dir=

usage() { sed -n '2,/^$/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }

finish() {
    trap '' INT TERM HUP
    stop_postgres
    [ -z "$database_dir" ] || rm -rf "$database_dir"
}

# stage NAME COMMAND...: runs it with its output in a log, says how it went and how long it took.
stage() {
    local name=$1 log="$logs/$1.log" start=$SECONDS status=0
    shift
    printf '%-14s ' "$name" >&2
    "$@" >"$log" 2>&1 || status=$?
    if [ "$status" -eq 0 ]; then
        printf 'ok     %4d s\n' $((SECONDS - start)) >&2
    else
        printf 'FAILED %4d s\n' $((SECONDS - start)) >&2
        tail -n 40 "$log" >&2
        say "stage $name failed with status $status; its log is $log"
    fi
    return "$status"
}

# check and need are stages that count as one failure; without a needed one the run cannot go on.
check() { stage "$@" || failed=$((failed + 1)); }
need() {
    stage "$@" || {
        failed=$((failed + 1))
        report
    }
}

report() {
    echo "$passed passed, $failed failed"
    exit $((failed > 0))
}

check_format() {
    local tool
    for tool in "clang-format-$clang_format_version" clang-format; do
        if "$tool" --version 2>/dev/null | grep -q "version $clang_format_version\."; then
            cd "$project" && find include src tests \( -name '*.hpp' -o -name '*.cpp' \) -print0 |
                xargs -0 -r "$tool" --dry-run -Werror
            return
        fi
    done
    echo "not checked: no clang-format $clang_format_version here"
}

# Quick; clang-tidy, which is not, is left to tests/lint.sh.
check_sources() { cd "$project" && tests/lint.sh --cppcheck; }

run_ctest() {
    cd "$project" && TSAN_OPTIONS="suppressions=$project/tests/thread_suppressions.txt" \
        ctest --preset "$1" --verbose --timeout 900 --no-tests=error
}

# run_pytest PRESET UNIT_PRESET ARGUMENT...: the whole-process tests of the program built with PRESET;
# some of them drive a part of it through the unit tests' binary.
run_pytest() {
    local program="$project/build/$1/exportd" unit="$project/build/$2/exportd_tests"
    shift 2
    cd "$project" && EXPORTD_TEST_BINARY="$program" EXPORTD_TEST_UNIT_BINARY="$unit" PYTHONDONTWRITEBYTECODE=1 \
        TSAN_OPTIONS="suppressions=$project/tests/thread_suppressions.txt" \
        timeout --foreground -k 10 "${PYTEST_SECONDS:-1800}" \
        /usr/bin/python3 -m pytest -q --color=no -p no:cacheprovider "$@"
}

# count_fuzzers LOG: a fuzzer counts as one test.
count_fuzzers() { awk '/ without a finding$/ { good++ } /: FAILED/ { bad++ } END { print good + 0, bad + 0 }' "$1"; }

# count_ctest LOG: prints the tests passed and failed in ctest's verbose output. A Catch2 program
# counts as its test cases; any other test, and a program that fails without a failed case, as one.
count_ctest() {
    awk '
        function number_before(word,   i) { for (i = 2; i <= NF; ++i) if ($i == word && $(i + 1) != "as") return $(i - 1); return 0 }
        /^[0-9]+: All tests passed \(/ { id = $1 + 0; good[id] = $(NF - 2) }
        /^[0-9]+: test cases: / { id = $1 + 0; good[id] = number_before("passed"); bad[id] = number_before("failed") }
        $2 == "Test" && $3 ~ /^#[0-9]+:$/ {
            id = substr($3, 2) + 0
            if (!/ Passed /) { passed += good[id]; failed += bad[id] > 0 ? bad[id] : 1 }
            else passed += good[id] > 0 ? good[id] : 1
        }
        END { print passed + 0, failed + 0 }' "$1"
}

# count_pytest LOG: the same for pytest; an error while collecting or setting up is a failure.
count_pytest() {
    awk '
        / in [0-9.]+s/ && /(passed|failed|error|skipped|deselected)/ {
            passed = failed = 0
            for (i = 2; i <= NF; ++i) {
                if ($i ~ /^passed/) passed += $(i - 1)
                if ($i ~ /^(failed|errors?)/) failed += $(i - 1)
            }
        }
        END { print passed + 0, failed + 0 }' "$1"
}

# run_tests NAME COUNT COMMAND...: a stage whose log COUNT turns into numbers of tests.
run_tests() {
    local name=$1 count=$2 status=0 good bad
    shift 2
    stage "$name" "$@" || status=$?
    read -r good bad < <("$count" "$logs/$name.log")
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    passed=$((passed + good)) failed=$((failed + bad))
    printf '%-14s %s passed, %s failed\n' '' "$good" "$bad" >&2
}

# A server for the tests alone, in a directory that PostgreSQL's user can reach. It need not
# survive a power cut.
start_test_postgres() {
    local parent port tries
    for parent in "${TMPDIR:-/var/tmp}" /var/tmp; do
        database_dir=$(mktemp -d "$parent/exportd-tests.XXXXXX") || continue
        database_dir=$(cd "$database_dir" && pwd -P)
        if own_database_dir "$database_dir"; then break; fi
        rm -rf "$database_dir"
    done
    for ((tries = 0; tries < 100; ++tries)); do
        port=$((20000 + RANDOM % 12000))
        port_taken 127.0.0.1 "$port" || break
    done
    start_postgres "$database_dir" "$port" fsync=off max_connections=200
    export EXPORTD_TEST_DATABASE_URL="postgresql://postgres:$postgres_password@127.0.0.1:$port/postgres"
}

# sanitized_tests: the unit tests under both kinds of sanitizers, what several threads do at once under
# the thread sanitizer as a whole process too, and the fuzzers.
sanitized_tests() {
    need build-asan build_preset asan all
    run_tests unit-asan count_ctest run_ctest asan
    need build-tsan build_preset tsan all
    run_tests unit-tsan count_ctest run_ctest tsan
    run_tests e2e-tsan count_pytest run_pytest tsan tsan tests/e2e/test_reports.py tests/e2e/test_report_pages.py
    # A check of a change is no lottery: news are looked for on demand.
    FUZZ_SEED=1 run_tests fuzz count_fuzzers tests/fuzz/run.sh 60
}

main() {
    local quick='' sanitizers=1 e2e_preset=release unit_preset=asan boost node packages
    case ${1:-} in
        --quick) quick=1 sanitizers='' ;;
        --no-asan) sanitizers='' ;;
        --e2e-asan) e2e_preset=asan ;;
        '' | --asan) ;;
        -h | --help) usage && exit ;;
        *) usage >&2 && exit 2 ;;
    esac
    make_build_dir tests
    read -ra boost < <(boost_packages)
    packages=("${build_packages[@]}" "${boost[@]}" "${run_packages[@]}" "${unit_test_packages[@]}")
    mapfile -t node < <(node_packages)
    [ -z "$sanitizers" ] || packages+=("${clang_packages[@]}")
    [ -n "$quick" ] || packages+=("${process_test_packages[@]}" "${deploy_test_packages[@]}" "${node[@]}")
    install_packages "${packages[@]}"
    trap finish EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    check format check_format
    [ -z "$sanitizers" ] || check cppcheck check_sources
    start_test_postgres
    if [ "$e2e_preset" = asan ]; then
        need build-asan build_preset asan all
        # Memory that was given back is kept aside for a while, which no test of its growth can tell.
        PYTEST_SECONDS=7200 run_tests e2e-asan count_pytest run_pytest asan asan tests/e2e
        report
    fi
    if [ -n "$sanitizers" ]; then
        sanitized_tests
    else
        unit_preset=dev
        need build-dev build_preset dev all
        run_tests unit-dev count_ctest run_ctest dev
    fi
    if [ -z "$quick" ]; then
        need build-release build_preset release exportd
        run_tests e2e count_pytest run_pytest release "$unit_preset" tests/e2e
    fi
    report
}

main "$@"
