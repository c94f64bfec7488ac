#!/usr/bin/env bash
# Runs a command with DATABASE_URL pointing at the coordinator of a throw-away Citus cluster, one coordinator and two
# workers, which is gone afterwards. CITUS_PG_BIN is the folder of a PostgreSQL that Citus is installed in.
#   CITUS_PG_BIN=/opt/citus/bin test/with-citus.sh npm test -- --project=fast db/
set -euo pipefail

[ $# -gt 0 ] || { echo "Usage: CITUS_PG_BIN=FOLDER test/with-citus.sh COMMAND [ARGUMENT ...]" >&2; exit 2; }

bin=${CITUS_PG_BIN:-}
if [ ! -x "$bin/initdb" ] || [ ! -e "$bin/../lib/citus.so" ] && [ ! -e "$bin/../lib/postgresql/citus.so" ]; then
  echo "CITUS_PG_BIN: set it to the bin folder of a PostgreSQL 15 or later that Citus is installed in (CONTRIBUTING.md says how to build one)." >&2
  exit 1
fi

# In memory where there are 4 GB of it: each test file makes and drops a database of thousands of files on three nodes.
base=/tmp
if [ -w /dev/shm ] && [ "$(df --output=avail /dev/shm 2>/dev/null | tail -1)" -gt 4194304 ] 2>/dev/null; then base=/dev/shm; fi
work=$(mktemp -d "$base/sayso-citus-XXXXXX")
as_user=()
if [ "$(id -u)" = 0 ]; then
  id -u postgres >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin postgres
  chown postgres "$work"
  as_user=(setpriv --reuid=postgres --regid="$(id -g postgres)" --clear-groups)
fi

read -r -a ports < <(node -e '
  const { createServer } = require("net");
  const open = () => new Promise((resolve) => { const s = createServer().listen(0, "127.0.0.1", () => resolve(s)); });
  Promise.all([open(), open(), open()]).then((servers) => {
    console.log(servers.map((one) => one.address().port).join(" "));
    for (const one of servers) one.close();
  });')
password=$(node -e 'console.log(require("crypto").randomBytes(16).toString("hex"))')
postmasters=()
command_pid=

cleanup() {
  local code=$? pid
  trap - EXIT INT TERM
  if [ -n "$command_pid" ] && kill -0 "$command_pid" 2>/dev/null; then
    kill "$command_pid" || true
    wait "$command_pid" || true
  fi
  for pid in "${postmasters[@]}"; do kill -INT "$pid" 2>/dev/null || true; done
  for pid in "${postmasters[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
  exit "$code"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Nodes reach each other as this superuser alone. Sayso's own role has a password of its own, as on a real cluster.
(umask 077 && echo "$password" >"$work/password" && echo "127.0.0.1:*:*:postgres:$password" >"$work/pgpass")
[ "$(id -u)" != 0 ] || chown postgres "$work/password" "$work/pgpass"
export PGPASSFILE="$work/pgpass"
folder=$PWD
cd "$work"
names=(coordinator worker1 worker2)
for index in 0 1 2; do
  "${as_user[@]}" "$bin/initdb" -D "$work/${names[index]}" -U postgres --pwfile="$work/password" --auth=scram-sha-256 \
    --encoding=UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  # Few shards: tests look at a handful of rows, and each shard of each table is a file to copy for each test file.
  "${as_user[@]}" "$bin/postgres" -D "$work/${names[index]}" -p "${ports[index]}" \
    -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=300 \
    -c shared_preload_libraries=citus -c citus.shard_count=4 -c citus.local_hostname=127.0.0.1 -c citus.node_conninfo=sslmode=disable \
    -c citus.enable_statistics_collection=off -c max_prepared_transactions=300 -c max_worker_processes=100 \
    -c wal_level=logical -c max_locks_per_transaction=512 -c timezone=UTC \
    -c fsync=off -c full_page_writes=off -c synchronous_commit=off \
    -c max_wal_size=256MB -c autovacuum=off -c jit=off >"$work/${names[index]}.log" 2>&1 &
  postmasters+=($!)
done

for index in 0 1 2; do
  for _ in $(seq 200); do
    if [ "$(sed -n 8p "$work/${names[index]}/postmaster.pid" 2>/dev/null | tr -d ' ')" = ready ]; then break; fi
    kill -0 "${postmasters[index]}" 2>/dev/null || { cat "$work/${names[index]}.log" >&2; exit 1; }
    sleep 0.1
  done
done

sql() { # PORT DATABASE STATEMENT
  "$bin/psql" -h 127.0.0.1 -p "$1" -U postgres -d "$2" -X -q -v ON_ERROR_STOP=1 -c "$3" >/dev/null
}
for port in "${ports[@]}"; do
  sql "$port" postgres 'create database sayso'
  sql "$port" sayso 'create extension citus'
done
sql "${ports[0]}" sayso "select citus_set_coordinator_host('127.0.0.1', ${ports[0]})"
for port in "${ports[@]:1}"; do sql "${ports[0]}" sayso "select citus_add_node('127.0.0.1', $port)"; done
cd "$folder"
unset PGPASSFILE

url() { echo "postgres://postgres:$password@127.0.0.1:$1/sayso"; }
# CITUS_WORKERS: where the harness makes its databases, besides the coordinator.
DATABASE_URL="$(url "${ports[0]}")" CITUS_WORKERS="$(url "${ports[1]}"),$(url "${ports[2]}")" "$@" &
command_pid=$!
code=0
wait "$command_pid" || code=$?
command_pid=
exit "$code"
