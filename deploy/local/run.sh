#!/usr/bin/env bash
# Runs exportd on this machine with 200,000 demo orders.
#
#   deploy/local/run.sh           serve until Ctrl-C
#   deploy/local/run.sh --once    run one export into ./orders.csv, report on it, and exit
#
# On Debian 12 or 13: installs the packages that are missing (as root, or with sudo), builds
# build/release/exportd, starts a private PostgreSQL, loads the demo orders, makes the table of
# background exports and serves. From the second time on only the last step takes time. Ctrl-C stops
# all of it; background exports and their files are there again the next time.
#
#   EXPORTD_SERVER_LISTEN         default 127.0.0.1:8080
#   EXPORTD_OPS_LISTEN            default 127.0.0.1:9090
#   EXPORTD_LOCAL_POSTGRES_PORT   default 54329
#   EXPORTD_LOCAL_STATE           where the demo database lives; default build/local/state, and
#                                 for root a directory in /var/lib/exportd-local
#   EXPORTD_JOBS_DIRECTORY        files of background exports; default `files` in that directory
#
# All other EXPORTD_* variables reach the service as they are.

set -euo pipefail

# shellcheck source=deploy/local/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

from=2025-01-01 to=2026-01-01 zone=Europe/London
postgres_local_port=${EXPORTD_LOCAL_POSTGRES_PORT:-54329}
service_listen=${EXPORTD_SERVER_LISTEN:-127.0.0.1:8080}
ops_listen=${EXPORTD_OPS_LISTEN:-127.0.0.1:9090}
files_dir=${EXPORTD_JOBS_DIRECTORY:-}
service_pid=
work_dir=

usage() { sed -n '2,/^$/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }

# The address to connect to for an address that a server listens on.
reachable() {
    case $1 in
        0.0.0.0:* | :* | '*':*) echo "127.0.0.1:${1##*:}" ;;
        *) echo "$1" ;;
    esac
}

# PostgreSQL's user must reach the data, and a clone in root's home is closed to it.
state_dir() {
    local default="$project/build/local/state"
    if [ "$(id -u)" -eq 0 ]; then
        default=/var/lib/exportd-local/$(printf '%s' "$project" | cksum | cut -d ' ' -f 1)
    fi
    mkdir -p "${EXPORTD_LOCAL_STATE:-$default}"
    (cd "${EXPORTD_LOCAL_STATE:-$default}" && pwd -P)
}

require_ports() {
    local address
    address=$(reachable "$service_listen")
    require_port "${address%:*}" "${address##*:}" EXPORTD_SERVER_LISTEN 127.0.0.1:8081
    address=$(reachable "$ops_listen")
    require_port "${address%:*}" "${address##*:}" EXPORTD_OPS_LISTEN 127.0.0.1:9091
    require_port 127.0.0.1 "$postgres_local_port" EXPORTD_LOCAL_POSTGRES_PORT 54330
}

# Loads the demo orders, unless these very orders are there. The database's comment is written
# last, so an interrupted load starts anew.
load_demo() {
    local script="$project/sql/demo/orders.sql" mark
    mark="exportd demo $(cksum <"$script")"
    if [ "$(sql postgres -At -c "SELECT shobj_description(oid, 'pg_database') FROM pg_database
            WHERE datname = 'exportd_demo'")" = "$mark" ]; then
        return
    fi
    say "loading 200,000 demo orders"
    sql postgres -c 'DROP DATABASE IF EXISTS exportd_demo WITH (FORCE)' \
        -c "CREATE DATABASE exportd_demo TEMPLATE template0 ENCODING 'UTF8'"
    sql exportd_demo -1 -f "$script"
    sql exportd_demo -c 'VACUUM ANALYZE orders' -c "COMMENT ON DATABASE exportd_demo IS '$mark'"
}

# The table of background exports, made by the database's owner: the service's role may not.
migrate() {
    (
        cd "$project"
        export EXPORTD_JOBS_URL="postgresql://postgres:$postgres_password@127.0.0.1:$postgres_port/exportd_demo"
        run_logged build/local/migrate.log build/release/exportd migrate -c config/exportd.toml
    ) || die "could not make the table of background exports"
}

# The service's own role may read the orders and keep background exports, nothing else. Its password
# lasts one run.
grant_service_role() {
    service_password=$(random_password)
    sql exportd_demo <<SQL
DO \$\$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'exportd_service') THEN
        CREATE ROLE exportd_service LOGIN;
    END IF;
END \$\$;
ALTER ROLE exportd_service PASSWORD '$service_password';
REVOKE ALL ON DATABASE exportd_demo FROM PUBLIC;
GRANT CONNECT ON DATABASE exportd_demo TO exportd_service;
GRANT SELECT ON orders TO exportd_service;
SQL
    sql exportd_demo -v service=exportd_service -f "$project/sql/grants/jobs.sql"
}

# start_service [LOG]: returns when /healthz answers. The service ends even if this script is killed. Without LOG the service's log goes to stderr.
start_service() {
    local log=${1:-} waited
    if [ -n "$log" ]; then exec 8>"$log"; else exec 8>&2; fi
    (
        cd "$project"
        export EXPORTD_SERVER_LISTEN=$service_listen EXPORTD_OPS_LISTEN=$ops_listen
        export EXPORTD_JOBS_DIRECTORY=$files_dir
        export EXPORTD_DATABASE_URL="postgresql://exportd_service:$service_password@127.0.0.1:$postgres_port/exportd_demo"
        # In a session of its own, so that the terminal's Ctrl-C reaches it once, through this script.
        exec setsid setpriv --pdeathsig TERM build/release/exportd serve -c config/exportd.toml >&8 2>&8 8>&- 9>&-
    ) &
    service_pid=$!
    exec 8>&-
    for ((waited = 0; waited < 300; ++waited)); do
        if curl -fsS --noproxy '*' -m 2 -o /dev/null "http://$address/healthz" 2>/dev/null; then return; fi
        if ! kill -0 "$service_pid" 2>/dev/null; then break; fi
        sleep 0.1
    done
    [ -z "$log" ] || tail -n 20 "$log" >&2
    die "the service does not answer on $address"
}

# Running exports may finish; the service itself bounds how long that takes.
stop_service() {
    local waited
    [ -n "$service_pid" ] || return 0
    kill -TERM "$service_pid" 2>/dev/null || true
    for ((waited = 0; waited < 400; ++waited)); do
        kill -0 "$service_pid" 2>/dev/null || break
        [ "$waited" -ne 10 ] || say "running exports may finish; Ctrl-C again cuts them"
        sleep 0.1
    done
    kill -KILL "$service_pid" 2>/dev/null || true
    wait "$service_pid" 2>/dev/null || true
    service_pid=
}

finish() {
    # However impatient the user is, PostgreSQL must not be left behind.
    trap '' TERM HUP
    trap '[ -z "$service_pid" ] || kill -TERM "$service_pid" 2>/dev/null || true' INT
    stop_service
    trap '' INT
    stop_postgres
    [ -z "$work_dir" ] || rm -rf "$work_dir"
}

# receipt_field RECEIPT PATH: the text at PATH ({loop_delay_ms,p99}) of a JSON document.
receipt_field() { sql postgres -At -c "SELECT \$receipt\$$1\$receipt\$::json #>> '$2'"; }

# The receipt of an export; it may be written a moment after the last byte has left.
await_receipt() {
    local id=$1 receipt tries
    for ((tries = 0; tries < 50; ++tries)); do
        receipt=$(curl -fsS --noproxy '*' -m 5 "http://$address/exports/receipts/$id") ||
            die "the export has no receipt"
        [ "$(receipt_field "$receipt" '{state}')" = running ] || break
        sleep 0.1
    done
    printf '%s\n' "$receipt"
}

# The number of records in a CSV file without its header; a quoted line end is not a record's end.
csv_rows() {
    LC_ALL=C awk '{ quotes += gsub(/"/, "") } quotes % 2 == 0 { ++records } END { print records - 1 }' "$1"
}

export_once() {
    local url="http://$address/exports/orders.csv?from=$from&to=$to" part headers
    local id receipt state rows bytes expected seconds delay
    work_dir=$(mktemp -d "$PWD/.orders.XXXXXX") || die "cannot write orders.csv into $PWD"
    part=$work_dir/orders.csv headers=$work_dir/headers
    seconds=$(curl -fsS --noproxy '*' -D "$headers" -o "$part" -w '%{time_total}' "$url") ||
        die "the export failed: $url"
    id=$(awk 'tolower($1) == "export-id:" { sub(/\r$/, ""); print $2; exit }' "$headers")
    receipt=$(await_receipt "$id")
    state=$(receipt_field "$receipt" '{state}')
    rows=$(csv_rows "$part") bytes=$(stat -c %s "$part")
    expected=$(sql exportd_demo -At -c "SELECT count(*) FROM orders WHERE created_at >= timestamp '$from' AT TIME ZONE
        '$zone' AND created_at < timestamp '$to' AT TIME ZONE '$zone'")
    delay=$(sql postgres -At -c "SELECT format('p50 %s ms, p99 %s ms, max %s ms', d->>'p50', d->>'p99', d->>'max')
        FROM (SELECT \$receipt\$$receipt\$receipt\$::json->'loop_delay_ms' AS d) AS r")
    [ "$state" = complete ] || die "the receipt says $state, not complete: $receipt"
    [ "$rows $(receipt_field "$receipt" '{rows}')" = "$expected $expected" ] ||
        die "$expected orders in the database, $rows rows in the file; receipt: $receipt"
    [ "$(receipt_field "$receipt" '{bytes}')" = "$bytes" ] ||
        die "$bytes bytes in the file; receipt: $receipt"
    mv -f "$part" orders.csv
    printf '%-11s %s\n' file "$PWD/orders.csv" state "$state" rows "$rows" bytes "$bytes" \
        'wall time' "$seconds s" 'loop delay' "$delay"
}

serve() {
    say "serving on $address, probes and metrics on $(reachable "$ops_listen"); Ctrl-C stops everything"
    echo "curl -fOJ ${http_proxy:+--noproxy '*' }\"http://$address/exports/orders.csv?from=$from&to=$to\""
    echo "curl -f ${http_proxy:+--noproxy '*' }--json '{\"from\":\"$from\",\"to\":\"$to\"}' http://$address/exports/orders/jobs"
    # Ctrl-C is how serving ends, so it is a success.
    trap 'exit 0' INT TERM
    local status=0
    wait "$service_pid" || status=$?
    service_pid=
    die "the service ended by itself with status $status"
}

main() {
    local once='' hint='' state database boost
    case ${1:-} in
        --once) once=1 ;;
        -h | --help) usage && exit ;;
        '') ;;
        *) usage >&2 && exit 2 ;;
    esac
    address=$(reachable "$service_listen")
    make_build_dir local
    exec 9>>"$project/build/local/lock"
    flock -n 9 || die "already running from this clone"
    state=$(state_dir)
    database=$state/postgres
    files_dir=${files_dir:-$state/files}
    ! postgres_running "$database" || stop_postgres_in "$database"
    require_ports
    read -ra boost < <(boost_packages)
    install_packages "${build_packages[@]}" "${boost[@]}" "${run_packages[@]}"
    [ -x "$project/build/release/exportd" ] || hint='minutes the first time; '
    say "building build/release/exportd (${hint}log: build/local/build.log)"
    run_logged "$project/build/local/build.log" build_preset release exportd || exit 1
    require_ports
    trap finish EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    start_postgres "$database" "$postgres_local_port"
    load_demo
    migrate
    grant_service_role
    if [ -n "$once" ]; then
        start_service "$project/build/local/exportd.log"
        export_once
    else
        start_service
        serve
    fi
}

main "$@"
