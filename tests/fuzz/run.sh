#!/usr/bin/env bash
# Builds the fuzzers and runs each for a while, as many at once as there are cores.
#
#   tests/fuzz/run.sh [SECONDS] [NAME...]    60 seconds each, all of them (target, csv, ...)
#
# They begin with what is in tests/fuzz/corpus/NAME/ and keep what they learn in build/fuzz/corpus/;
# an input that breaks something is left in build/fuzz/found/ and told. `--keep` as the first argument
# adds to tests/fuzz/corpus/ what reaches code that nothing there reached. FUZZ_SEED=N tries the same
# things each time, as far as the time goes.

set -euo pipefail

# shellcheck source=deploy/local/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../deploy/local/lib.sh"

built=$project/build/fuzz
corpus=$project/tests/fuzz/corpus

# run_fuzzer NAME SECONDS: its last figures on one line.
run_fuzzer() {
    local name=$1 learned=$built/corpus/$1 log=$built/$1.log status=0
    mkdir -p "$learned" "$built/found" "$corpus/$name"
    "$built/${name}_fuzzer" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -seed="${FUZZ_SEED:-0}" \
        -artifact_prefix="$built/found/$name-" "$learned" "$corpus/$name" >"$log" 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then
        tail -n 40 "$log"
        echo "$name: FAILED, its input is in build/fuzz/found/"
        return 1
    fi
    echo "$name: $(awk '/stat::number_of_executed_units/ { print $2 }' "$log") inputs without a finding"
}

main() {
    local keep='' seconds=60 name names=() failed=0
    if [ "${1:-}" = --keep ]; then
        keep=1
        shift
    fi
    if [[ ${1:-} =~ ^[0-9]+$ ]]; then
        seconds=$1
        shift
    fi
    install_packages "${build_packages[@]}" $(boost_packages) "${clang_packages[@]}"
    make_build_dir fuzz
    run_logged "$built/build.log" build_preset fuzz fuzzers || die "the fuzzers do not build"
    for name in "$built"/*_fuzzer; do
        name=$(basename "$name" _fuzzer)
        if [ $# -eq 0 ] || [[ " $* " == *" $name "* ]]; then names+=("$name"); fi
    done
    export -f run_fuzzer
    export built corpus
    printf '%s\n' "${names[@]}" |
        xargs -P "$(nproc)" -I{} bash -c 'run_fuzzer "$1" "$2"' bash {} "$seconds" || failed=1
    if [ -n "$keep" ]; then
        for name in "${names[@]}"; do
            "$built/${name}_fuzzer" -merge=1 "$corpus/$name" "$built/corpus/$name" >>"$built/$name.log" 2>&1
        done
    fi
    return "$failed"
}

main "$@"
