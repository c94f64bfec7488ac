import type { openErasures } from './backup/erasure-file.ts';
import { counted, PATIENCE_MS } from './command.ts';
import type { Config } from './platform/config.ts';
import { createLog } from './platform/log.ts';
import { migrate } from './platform/migrate.ts';
import { createKeyring } from './platform/secrets.ts';
import type { Services } from './platform/services.ts';
import { createProduct } from './product.ts';
import { QUEUES } from './queues.ts';
import { reapplyErasures } from '#server/visit/erasures/reapply-erasures.ts';

type Erasures = Awaited<ReturnType<typeof openErasures>>;

/** The product's rules, without anybody being served. */
export async function withServices<T>(
  config: Config,
  ownerUrl: string,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const url = await migrate(ownerUrl, createKeyring(config.secretKeys), QUEUES);
  const product = await createProduct(config, url, {
    log: createLog('warn'),
    worker: false,
    connectWithinMs: PATIENCE_MS,
  });
  try {
    return await work(product.services);
  } finally {
    await product.stop();
  }
}

/** @returns whether everybody who was erased is erased */
export async function reapply(services: Services, { takenAt, entries }: Erasures): Promise<boolean> {
  const done = await reapplyErasures(services, entries(), takenAt);
  console.log(
    `Applied erasures until ${takenAt.toISOString()}: erased ${counted(done.customers, 'customer')}, deleted ${counted(done.accounts, 'account')} and ${counted(done.organizations, 'organization')}.`,
  );
  for (const id of done.inTheWay) {
    console.error(
      `Account ${id} was deleted but is the only owner of an organization with other members here. Make one of them an owner and run this again.`,
    );
  }
  return done.inTheWay.length === 0;
}
