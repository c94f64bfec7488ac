#!/usr/bin/env bash
# Runs a command with DATABASE_URL pointing at a throw-away PostgreSQL 15, which is gone afterwards.
#   test/with-postgres.sh npm test
set -euo pipefail

[ $# -gt 0 ] || { echo "Usage: test/with-postgres.sh COMMAND [ARGUMENT ...]" >&2; exit 2; }

find_binaries() {
  local folder
  for folder in /usr/lib/postgresql/15/bin /usr/pgsql-15/bin /opt/homebrew/opt/postgresql@15/bin /usr/local/opt/postgresql@15/bin; do
    if [ -x "$folder/initdb" ]; then echo "$folder"; return; fi
  done
}

bin=$(find_binaries)
if [ -z "$bin" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing postgresql-15 with apt-get ..." >&2
  {
    apt-get update
    # The package's own cluster would start at once and stay; this run wants the programs only.
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] ||
      echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql-15
  } >&2
  bin=$(find_binaries)
fi
if [ -z "$bin" ]; then
  echo "PostgreSQL 15 was not found. Install it (on Debian: sudo apt-get install postgresql-15) and run this again." >&2
  exit 1
fi

# In memory where there are 4 GB of it: each test file makes and drops a database of hundreds of files.
base=/tmp
if [ -w /dev/shm ] && [ "$(df --output=avail /dev/shm 2>/dev/null | tail -1)" -gt 4194304 ] 2>/dev/null; then base=/dev/shm; fi
work=$(mktemp -d "$base/sayso-pg15-XXXXXX")
as_user=()
if [ "$(id -u)" = 0 ]; then
  id -u postgres >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin postgres
  chown postgres "$work"
  as_user=(setpriv --reuid=postgres --regid="$(id -g postgres)" --clear-groups)
fi

port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
password=$(node -e 'console.log(require("crypto").randomBytes(16).toString("hex"))')
postmaster=
command_pid=

cleanup() {
  local code=$?
  trap - EXIT INT TERM
  if [ -n "$command_pid" ] && kill -0 "$command_pid" 2>/dev/null; then
    kill "$command_pid" || true
    wait "$command_pid" || true
  fi
  if [ -n "$postmaster" ]; then
    kill -INT "$postmaster" 2>/dev/null || true
    wait "$postmaster" 2>/dev/null || true
  fi
  rm -rf "$work"
  exit "$code"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

(umask 077 && echo "$password" >"$work/password")
[ "$(id -u)" != 0 ] || chown postgres "$work/password"
cd "$work"
"${as_user[@]}" "$bin/initdb" -D "$work/data" -U postgres --pwfile="$work/password" --auth=scram-sha-256 \
  --encoding=UTF8 --locale=C.UTF-8 --no-sync >/dev/null
touch "$work/log"
"${as_user[@]}" "$bin/postgres" -D "$work/data" -p "$port" \
  -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 \
  -c fsync=off -c full_page_writes=off -c synchronous_commit=off -c wal_level=minimal -c max_wal_senders=0 \
  -c max_wal_size=256MB -c autovacuum=off -c jit=off >"$work/log" 2>&1 &
postmaster=$!

for _ in $(seq 200); do
  if [ "$(sed -n 8p "$work/data/postmaster.pid" 2>/dev/null | tr -d ' ')" = ready ]; then break; fi
  kill -0 "$postmaster" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
  sleep 0.1
done
PGPASSWORD=$password "$bin/createdb" -h 127.0.0.1 -p "$port" -U postgres sayso
cd "$OLDPWD"

DATABASE_URL="postgres://postgres:$password@127.0.0.1:$port/sayso" "$@" &
command_pid=$!
code=0
wait "$command_pid" || code=$?
command_pid=
exit "$code"
