#!/usr/bin/env bash
# Run by .ci/run with DATABASE_URL of the oldest PostgreSQL that is supported: prepares each statement that the tests sent
# (they left them in STATEMENTS_FOLDER), then saves and delivers there.
set -euo pipefail

node_modules/node/bin/node test/prepare-statements.ts "$STATEMENTS_FOLDER"
env -u STATEMENTS_FOLDER npm test -- --project=api server/choices/choices/ server/delivery/deliveries/deliveries.routes \
  server/visit/public-customers/public-customers.routes \
  server/audience/evidence/evidence.routes test/row-level-security
