import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { brevo } from '#server/connectors/brevo/index.ts';
import type { Connector, Credentials } from '#server/connectors/connector.ts';
import { createAccount } from '#server/features/accounts/accounts.ts';
import { createAction } from '#server/features/actions/actions.ts';
import { NOTHING_SHOWN, saveChoice } from '#server/features/choices/choices.ts';
import { addIntegration } from '#server/features/integrations/integrations.ts';
import { createOrganization } from '#server/features/organizations/organizations.ts';
import { createSite } from '#server/features/sites/sites.ts';
import { readConfig } from '#server/platform/config.ts';
import { newId } from '#server/platform/ids.ts';
import { createLog } from '#server/platform/log.ts';
import { migrate } from '#server/platform/migrate.ts';
import { startEmbeddedPostgres } from '#server/platform/postgres/embedded.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { createProduct, type Product } from '#server/product.ts';

/*
 * A part of `npm run bench`: how many deliveries one worker makes in a second, and what of the plain HTTP calls that the
 * same process can make that is. The tool's limits are lifted, because they and not the engine would be measured.
 */

const PEOPLE = Number(process.env['BENCH_DELIVERIES'] ?? 1500);
/** As many calls at a time as one worker has deliveries in hand. */
const AT_ONCE = 24;

interface Receiver {
  endpoint: string;
  tool: string;
  credentials: Credentials;
}

/** Each to its end, so many at a time. @returns how many were done in a second */
async function perSecond(count: number, work: (index: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return count / ((performance.now() - began) / 1000);
}

async function startReceiver(): Promise<{ receiver: Receiver; stop: () => void }> {
  const child = fork('test/load/receiver.ts');
  const receiver = await new Promise<Receiver>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Receiver));
    child.once('exit', (code) => reject(new Error(`The receiver ended with ${code}`)));
  });
  return { receiver, stop: () => child.disconnect() };
}

async function buildSite(services: Services): Promise<string> {
  const account = { username: 'bench', email: 'bench@example.com', password: 'correct horse battery' };
  const { id } = await createAccount(services, { ...account, first_name: '', last_name: '' });
  const organization = await createOrganization(services, id, 'Bench');
  const site = await createSite(services, organization.id, { domain_name: 'bench', name: 'Bench' });
  return site.id;
}

async function makePeople(owner: pg.Pool, siteId: string): Promise<string[]> {
  const ids = Array.from({ length: PEOPLE }, () => newId());
  for (const [index, id] of ids.entries()) {
    await owner.query(
      `insert into customers (site_id, id, email, email_key, global_unsubscribe, sequence, person_salt, created_at, updated_at)
       values ($1, $2, $3, $3, false, 0, $4, now(), now())`,
      [siteId, id, `person-${index}@example.com`, randomBytes(16)],
    );
  }
  return ids;
}

async function leave(
  services: Services,
  siteId: string,
  ids: readonly string[],
  hasLeft: boolean,
): Promise<void> {
  await perSecond(ids.length, (index) =>
    saveChoice(
      services,
      siteId,
      ids[index] ?? '',
      { globalUnsubscribe: hasLeft },
      {
        source: 'page',
        authority: 'link',
        saveId: null,
        language: null,
        ip: null,
        userAgent: null,
        shown: NOTHING_SHOWN,
      },
    ),
  );
}

/** One worker takes all that waits. @returns deliveries a second */
async function workOff(owner: pg.Pool, startWorker: () => Promise<Product>): Promise<number> {
  const worker = await startWorker();
  const began = performance.now();
  let waiting = PEOPLE;
  while (waiting > 0) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { rows } = await owner.query<{ count: number }>(
      `select count(*)::int as count from deliveries where status = 'waiting'`,
    );
    waiting = rows[0]?.count ?? 0;
  }
  const rate = PEOPLE / ((performance.now() - began) / 1000);
  await worker.stop();
  return rate;
}

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sayso-bench-deliveries-'));
  const { receiver, stop } = await startReceiver();
  const config = {
    ...readConfig({
      DATA_DIR: dataDir,
      SECRET_KEY: randomBytes(32).toString('hex'),
      LOG_LEVEL: 'error',
      ALLOW_PRIVATE_TARGETS: '1',
      CONNECTOR_BREVO_URL: receiver.tool,
    }),
  };
  const log = createLog(config.logLevel);
  const embedded = await startEmbeddedPostgres({ dataDir, log });
  const url = await migrate(embedded.url, createKeyring(config.secretKeys));
  const owner = new pg.Pool({ connectionString: embedded.url, max: 2 });
  const product = await createProduct(config, url, { log, worker: false });
  const startWorker = () => createProduct(config, url, { log, worker: true });
  const { services } = product;
  try {
    const siteId = await buildSite(services);
    const ids = await makePeople(owner, siteId);
    await createAction(services, siteId, {
      type: 'webhook',
      name: 'Endpoint',
      enabled: true,
      integration_id: null,
      trigger: { event: 'global_unsubscribed', list_ids: [] },
      operation: null,
      target: { url: receiver.endpoint },
    });
    await leave(services, siteId, ids, true);
    const posts = await perSecond(PEOPLE, () =>
      services.outbound.send({
        method: 'POST',
        url: receiver.endpoint,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ data: 'x'.repeat(600) }),
      }),
    );
    const toEndpoint = await workOff(owner, startWorker);

    (brevo as { limits: Connector['limits'] }).limits = [{ requests: 1_000_000, perSeconds: 1 }];
    const tool = await addIntegration(services, siteId, {
      provider: 'brevo',
      credentials: receiver.credentials,
    });
    await createAction(services, siteId, {
      type: 'global_unsubscribe',
      name: 'Tool',
      enabled: true,
      integration_id: tool.id,
      trigger: { event: 'global_resubscribed', list_ids: [] },
      operation: 'resubscribe',
      target: {},
    });
    const gets = await perSecond(PEOPLE, (index) =>
      services.outbound.send({
        method: 'GET',
        url: `${receiver.tool}/contacts/person-${index}%40example.com`,
        headers: { 'api-key': receiver.credentials['api_key'] ?? '' },
        body: '',
      }),
    );
    await leave(services, siteId, ids, false);
    const toTool = await workOff(owner, startWorker);
    print({ posts, toEndpoint, gets, toTool });
  } finally {
    await product.stop();
    await owner.end();
    await embedded.stop();
    stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function print({ posts, toEndpoint, gets, toTool }: Record<string, number>): void {
  const row = (name: string, rate = 0, against = 0) =>
    `| ${name} | ${Math.round(rate)} | ${against === 0 ? '' : (rate / against).toFixed(2)} |`;
  console.log(`\n${PEOPLE} deliveries by one worker, ${AT_ONCE} at a time\n`);
  console.log('| what | a second | ratio |\n|---|---:|---:|');
  console.log(row('plain posts to an endpoint, same process', posts));
  console.log(row('deliveries to the endpoint, signed and recorded', toEndpoint, posts));
  console.log(row('plain calls of a tool, same process', gets));
  console.log(row('deliveries to the tool, looked up, written, read back and recorded', toTool, gets));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
