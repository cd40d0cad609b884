#!/usr/bin/env bash
# Looks at the sources with clang-tidy 19 (.clang-tidy) and cppcheck; both have to find nothing.
#
#   tests/lint.sh [FILE...]      all of src, or these files; about half an hour on two cores
#   tests/lint.sh --cppcheck     cppcheck alone: seconds

set -euo pipefail

# shellcheck source=deploy/local/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../deploy/local/lib.sh"

# Other versions of cppcheck are wrong about other things.
run_cppcheck() {
    if [ "$(cppcheck --version)" != "Cppcheck 2.10" ]; then
        echo "not checked: no cppcheck 2.10 here"
        return
    fi
    cppcheck --quiet --std=c++20 --language=c++ -I include -I src --enable=warning,performance,portability \
        --suppressions-list=tests/cppcheck_suppressions.txt --error-exitcode=1 -j "$(nproc)" "$@"
}

# Only the commands of the build are needed, and what it generates.
run_clang_tidy() {
    cmake --preset fuzz -B build/lint -DEXPORTD_FUZZ=OFF -DEXPORTD_SANITIZE= -DBUILD_TESTING=OFF >/dev/null
    printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -n 4 clang-tidy-19 --quiet -p build/lint 2>/dev/null
}

main() {
    local boost failed=0 files
    cd "$project"
    mapfile -t files < <(find src -name '*.cpp' | sort)
    if [ "${1:-}" = --cppcheck ]; then
        install_packages cppcheck
        run_cppcheck "${files[@]}" || die "cppcheck found something"
        return
    fi
    [ $# -eq 0 ] || files=("$@")
    read -ra boost < <(boost_packages)
    install_packages "${build_packages[@]}" "${boost[@]}" "${clang_packages[@]}" clang-tidy-19 cppcheck
    run_cppcheck "${files[@]}" || failed=1
    run_clang_tidy "${files[@]}" || failed=1
    [ "$failed" -eq 0 ] || die "something was found"
    echo "nothing was found"
}

main "$@"
