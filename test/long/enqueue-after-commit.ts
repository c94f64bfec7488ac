/**
 * The product with the fault that kill-9.test.ts must be able to see: jobs are not enqueued in the transaction of
 * the choice but a moment later.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '#server/platform/config.ts';
import { createLog } from '#server/platform/log.ts';
import { migrate } from '#server/platform/migrate.ts';
import { startEmbeddedPostgres } from '#server/platform/postgres/embedded.ts';
import { createKeyring, withSecretKeys } from '#server/platform/secrets.ts';
import { createProduct } from '#server/product.ts';

const log = createLog('warn');
const embedded = await startEmbeddedPostgres({ dataDir: readConfig().dataDir, log });
const config = withSecretKeys(readConfig());
const databaseUrl = await migrate(embedded.url, createKeyring(config.secretKeys));
const product = await createProduct(config, databaseUrl, { log, worker: true });

const { queue, database } = product.services;
const { enqueueStatement } = queue;
queue.enqueueStatement = async (...call) => {
  const { sql, parameters } = await enqueueStatement(...call);
  void sleep(20).then(() => database.pool.query(sql, [...parameters]));
  return { sql: 'select 1', parameters: [] };
};

await product.listen();
process.on('SIGTERM', () => {
  void product
    .stop()
    .then(() => embedded.stop())
    .then(() => process.exit(0));
});
