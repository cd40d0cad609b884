# shellcheck shell=bash
# The Debian packages that the project needs, and their installation. Sourced by lib.sh.
# shellcheck disable=SC2034 # the lists are for those who source this

build_packages=(
    g++ cmake ninja-build pkg-config libpq-dev libpqxx-dev libfmt-dev libspdlog-dev
    libtomlplusplus-dev libcli11-dev libhowardhinnant-date-dev libicu-dev libssl-dev
    prometheus-cpp-dev libcurl4-openssl-dev libpugixml-dev libcairo2-dev libpango1.0-dev
    librhonabwy-dev catch2
)
# Fontconfig and the fonts are for the pages of reports: Latin, Greek and Cyrillic, then the rest.
run_packages=(tzdata postgresql curl fontconfig fonts-lato fonts-dejavu-core fonts-droid-fallback)
unit_test_packages=(python3)
# clang: another compiler's opinion, a build with sanitizers in a third of the time, and libFuzzer.
clang_packages=(clang-19 libclang-rt-19-dev cppcheck)
# prometheus is there for promtool; ceph-* and radosgw are an object store, postfix a mail server,
# libreoffice opens what is made for a spreadsheet.
process_test_packages=(
    python3-pytest python3-psycopg2 python3-prometheus-client nginx pgbouncer prometheus poppler-utils
    openssl python3-jwt python3-cryptography python3-aiosmtpd postfix chromium ceph-mon ceph-osd ceph-common radosgw
    libreoffice-calc-nogui valgrind slowhttptest
)

deploy_test_packages=(python3-yaml)

# node_packages: prints what to install for npm, one a line. Elsewhere than in Debian npm is part of
# the package of Node.js, and does not stand Debian's beside it.
node_packages() { command -v npm >/dev/null || printf '%s\n' nodejs npm; }

# Debian's Boost packages carry their version in their name: 12 has 1.81 beside its default
# 1.74, 13 has 1.83.
boost_packages() {
    local version=1.83
    # shellcheck source=/dev/null
    if [ "$(. /etc/os-release && echo "${VERSION_ID:-}")" = 12 ]; then version=1.81; fi
    echo "libboost${version}-dev" "libboost-url${version}-dev" "libboost-json${version}-dev"
}

# missing_packages NAME...: prints those that are not installed, one a line.
missing_packages() {
    dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
        awk -v wanted="$*" '
            $2 == "installed" { here[$1] = 1 }
            END { n = split(wanted, name, " "); for (i = 1; i <= n; ++i) if (!(name[i] in here)) print name[i] }'
}

# as_root COMMAND...: runs it as root, through sudo if this user is not root. Prompts for a
# password only where somebody can type it. Proxies pass, as sudo drops them otherwise.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
        return
    fi
    local ask=(-n)
    if [ -t 0 ]; then ask=(); fi
    sudo "${ask[@]}" env http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
        no_proxy="${no_proxy:-}" "$@"
}

# install_packages NAME...: installs what is missing of them. Nothing is started: no service of
# nginx, PgBouncer, Prometheus, postfix, Ceph or PostgreSQL, now or at the next boot, and no
# PostgreSQL cluster is made. postfix gets no configuration.
install_packages() {
    local missing
    command -v dpkg-query >/dev/null || die "needs Debian 12 or 13, or these packages' like: $*"
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ] && ! { command -v sudo >/dev/null && as_root true 2>/dev/null; }; then
        die "these packages are missing, and installing them needs root or sudo: ${missing[*]}"
    fi
    say "installing ${missing[*]}"
    make_build_dir local
    run_logged "${project:?}/build/local/install.log" \
        as_root bash -c "$(declare -f apt_get install_quietly); install_quietly \"\$@\"" bash "${missing[@]}" ||
        die "could not install: ${missing[*]}"
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -eq 0 ] || die "could not install: ${missing[*]}"
}

# apt_get COMMAND...: waits for another apt that is running; asks nothing.
apt_get() {
    DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"
}

# install_quietly NAME...: runs as root, in a shell of its own, so that its two temporary files
# are gone whatever happens.
install_quietly() {
    set -euo pipefail
    local policy=/usr/sbin/policy-rc.d no_cluster=/etc/postgresql-common/createcluster.d/exportd.conf unit
    made=()
    trap 'rm -f "${made[@]}"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    # An administrator's own policy stays. Ours outlives a kill -9 without harm: it speaks only
    # while this shell runs.
    if [ ! -e "$policy" ]; then
        made+=("$policy")
        printf '%s\n' '#!/bin/sh' \
            "case \$1 in nginx*|pgbouncer*|prometheus*|postgresql*|postfix*|ceph*|radosgw*) [ ! -d /proc/$$ ] || exit 101 ;; esac" 'exit 0' >"$policy"
        chmod 755 "$policy"
    fi
    if [ ! -e "$no_cluster" ]; then
        made+=("$no_cluster")
        mkdir -p "${no_cluster%/*}"
        echo 'create_main_cluster = false' >"$no_cluster"
    fi
    # postfix asks what kind of mail server this is to be: the tests bring a configuration of their own.
    if [[ " $* " == *" postfix "* ]]; then
        echo 'postfix postfix/main_mailer_type select No configuration' | debconf-set-selections
    fi
    # The package lists may be missing or too old to name a file that still exists.
    if ! apt_get install --no-install-recommends "$@"; then
        apt_get update
        apt_get install --no-install-recommends "$@"
    fi
    if [ -d /run/systemd/system ]; then
        for unit in nginx pgbouncer prometheus postfix; do
            [[ " $* " != *" $unit "* ]] || systemctl disable "$unit" || true
        done
        if [[ " $* " == *" radosgw "* ]]; then
            systemctl disable ceph.target ceph-mon.target ceph-osd.target ceph-radosgw.target ceph-crash || true
        fi
    fi
}
