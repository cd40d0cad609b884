# shellcheck shell=bash
# A private PostgreSQL: its own data directory, loopback only, a generated password, no socket
# file. It never touches a cluster of the system's. Sourced by lib.sh.
#
# start_postgres sets: postgres_port, postgres_dir, postgres_password (of the superuser
# `postgres`). The password is passed on in the environment or on stdin, never in an argument.

postgres_dir=

postgres_bin() { printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1; }

# as_database_user COMMAND...: PostgreSQL refuses to run as root, so root hands over to the
# user `postgres` that Debian's package made; anybody else runs it as themselves.
as_database_user() {
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    else
        (cd / && exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$@")
    fi
}

random_password() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

# own_database_dir DIR: makes DIR private to the user that runs PostgreSQL; false if that user
# cannot reach it.
own_database_dir() {
    mkdir -p "$1" && chmod 700 "$1" || return
    [ "$(id -u)" -ne 0 ] || chown postgres: "$1" || return
    as_database_user test -w "$1"
}

# init_postgres DIR: makes the cluster anew. What an interrupted run or another major version
# left there is discarded: the data is only ever a copy of what the project can load.
init_postgres() {
    local dir=$1
    rm -rf "$dir/data" "$dir/password"
    (umask 077 && random_password >"$dir/password")
    [ "$(id -u)" -ne 0 ] || chown postgres: "$dir/password"
    as_database_user "$(postgres_bin)/initdb" -D "$dir/data" -U postgres -E UTF8 --locale=C.UTF-8 \
        --auth=scram-sha-256 --pwfile="$dir/password" --no-instructions >"$dir/initdb.log" 2>&1 || {
        tail -n 20 "$dir/initdb.log" >&2
        die "could not create a PostgreSQL cluster in $dir"
    }
    touch "$dir/complete"
}

# postgres_running DIR: true if the server of DIR runs, for instance because the run that started
# it was killed. The number in its pid file may by now belong to somebody else: only the server
# itself works in that directory.
postgres_running() {
    local pid
    pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) || return
    [ "$(readlink "/proc/$pid/cwd" 2>/dev/null)" = "$1/data" ]
}

# start_postgres DIR PORT [SETTING=VALUE...]: starts the cluster in DIR (made on first use) on
# 127.0.0.1:PORT. Returns when it accepts connections. End with stop_postgres.
start_postgres() {
    local dir=$1 port=$2 bin setting options
    shift 2
    bin=$(postgres_bin)
    [ -x "$bin/initdb" ] || die "found no PostgreSQL server in /usr/lib/postgresql"
    own_database_dir "$dir" || die "the user that runs PostgreSQL cannot reach $dir"
    if [ ! -e "$dir/complete" ] ||
        [ "$bin" != "/usr/lib/postgresql/$(cat "$dir/data/PG_VERSION")/bin" ]; then
        rm -f "$dir/complete"
        init_postgres "$dir"
    fi
    options="-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories="
    for setting in shared_buffers=256MB "$@"; do options+=" -c $setting"; done
    postgres_dir=$dir postgres_port=$port
    postgres_password=$(cat "$dir/password")
    # The server must not hold the caller's lock (descriptor 9) or its terminal.
    as_database_user "$bin/pg_ctl" start -D "$dir/data" -l "$dir/server.log" -w -t 60 -o "$options" \
        </dev/null >/dev/null 2>&1 9>&- || {
        tail -n 20 "$dir/server.log" >&2
        die "PostgreSQL did not start on port $port; its log is $dir/server.log"
    }
}

# stop_postgres: ends the server that start_postgres started, open transactions or not. May be
# called twice.
stop_postgres() {
    local dir=$postgres_dir
    [ -n "$dir" ] || return 0
    postgres_dir=
    stop_postgres_in "$dir"
}

stop_postgres_in() {
    local pg_ctl
    pg_ctl="$(postgres_bin)/pg_ctl"
    as_database_user "$pg_ctl" stop -D "$1/data" -m fast -w -t 20 >/dev/null 2>&1 ||
        as_database_user "$pg_ctl" stop -D "$1/data" -m immediate -w -t 10 >/dev/null 2>&1 || true
}

# sql DATABASE [PSQL_OPTION...]: psql as the superuser; stops at the first error.
sql() {
    local database=$1
    shift
    PGPASSWORD=$postgres_password PGCONNECT_TIMEOUT=10 PGOPTIONS='-c client_min_messages=warning' \
        "$(postgres_bin)/psql" -X -q -v ON_ERROR_STOP=1 \
        -h 127.0.0.1 -p "$postgres_port" -U postgres -d "$database" "$@"
}
