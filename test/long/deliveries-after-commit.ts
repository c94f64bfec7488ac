/**
 * The product with the fault that kill-9.test.ts must be able to see: deliveries are not written in the transaction of
 * their choice but a moment later.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '#server/platform/config.ts';
import type { Statement } from '#server/platform/database.ts';
import { createLog } from '#server/platform/log.ts';
import { migrate } from '#server/platform/migrate.ts';
import { startEmbeddedPostgres } from '#server/platform/postgres/embedded.ts';
import { createKeyring, withSecretKeys } from '#server/platform/secrets.ts';
import { createProduct } from '#server/product.ts';
import { QUEUES } from '#server/queues.ts';

const log = createLog('warn');
const embedded = await startEmbeddedPostgres({ dataDir: readConfig().dataDir, log });
const config = withSecretKeys(readConfig());
const databaseUrl = await migrate(embedded.url, createKeyring(config.secretKeys), QUEUES);
const product = await createProduct(config, databaseUrl, { log, worker: true });

const { database } = product.services;
const { inSiteAfter } = database;
const isDelivery = ({ sql }: Statement) => sql.startsWith('insert into deliveries ');
database.inSiteAfter = (siteId, statements, work) =>
  inSiteAfter(siteId, statements, (site, rows) =>
    work(
      {
        ...site,
        async commitWith(all) {
          await site.commitWith(all.filter((one) => !isDelivery(one)));
          const late = all.filter(isDelivery);
          void sleep(20).then(() => database.inSite(siteId, (later) => later.commitWith(late)));
        },
      },
      rows,
    ),
  );

await product.listen();
process.on('SIGTERM', () => {
  void product
    .stop()
    .then(() => embedded.stop())
    .then(() => process.exit(0));
});
