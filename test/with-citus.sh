#!/usr/bin/env bash
# Runs a command with DATABASE_URL pointing at the coordinator of a throw-away Citus cluster, one coordinator and two
# workers, which is gone afterwards. CITUS_PG_BIN is the folder of a PostgreSQL that Citus is installed in.
#   CITUS_PG_BIN=/opt/citus/bin test/with-citus.sh npm test -- --project=api db/
set -euo pipefail
here=$(dirname "$0")
exec "$here/../node_modules/node/bin/node" "$here/harness/with-citus.ts" "$@"
