import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { NOTHING_SHOWN, saveChoice } from '#server/choices/choices/choices.ts';
import type { Connector, Credentials } from '#server/connectors/connector.ts';
import { salesforce } from '#server/connectors/salesforce/index.ts';
import { createAction } from '#server/delivery/actions/actions.ts';
import { createLog } from '#server/platform/log.ts';
import { startEmbeddedPostgres } from '#server/platform/postgres/embedded.ts';
import type { Services } from '#server/platform/services.ts';
import type { Product } from '#server/product.ts';
import { addIntegration } from '#server/sync/tool-setup/tool-setup.ts';
import {
  addWebhook,
  BENCH_SETTINGS,
  buildSite,
  createBenchDatabase,
  insertPeople,
  openOwnerPool,
  openProduct,
} from './bench-site.ts';

/*
 * A part of `npm run bench`: how many deliveries one worker makes in a second, and what of the plain HTTP calls that the
 * same process can make that is. The tool's limits are lifted, because they and not the engine would be measured.
 */

export interface DeliveryFigures {
  deliveries_per_second: number;
  tool_calls_per_choice: number;
}

const PEOPLE = Number(process.env['BENCH_DELIVERIES'] ?? 5000);
const PEOPLE_OF_TOOL = Math.min(PEOPLE, 1500);
/** Saves and plain calls under way at the same time. */
const AT_ONCE = 64;

interface Receiver {
  endpoint: string;
  tool: string;
  /** Lets plain calls in there. */
  token: string;
  credentials: Credentials;
  /** Calls that the tool has answered so far. */
  toolCalls: () => Promise<number>;
  stop: () => void;
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

async function startReceiver(): Promise<Receiver> {
  const child = fork('test/load/receiver.ts', [String(PEOPLE_OF_TOOL)]);
  const answer = <T>() =>
    new Promise<T>((resolve, reject) => {
      child.once('message', (message) => resolve(message as T));
      child.once('exit', (code) => reject(new Error(`The receiver ended with ${code}`)));
    });
  const addresses = await answer<Pick<Receiver, 'endpoint' | 'tool' | 'token' | 'credentials'>>();
  return {
    ...addresses,
    async toolCalls() {
      const count = answer<number>();
      child.send('calls');
      return count;
    },
    stop: () => child.disconnect(),
  };
}

async function leave(services: Services, siteId: string, ids: readonly string[], hasLeft: boolean) {
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
async function workOff(owner: pg.Pool, count: number, startWorker: () => Promise<Product>): Promise<number> {
  const began = performance.now();
  const worker = await startWorker();
  const startedAt = performance.now();
  let waiting = count;
  while (waiting > 0) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { rows } = await owner.query<{ count: number }>(
      `select count(*)::int as count from deliveries where status = 'waiting'`,
    );
    waiting = rows[0]?.count ?? 0;
    if (performance.now() - began > 600_000) throw new Error('The worker does not come to an end');
  }
  const rate = count / ((performance.now() - startedAt) / 1000);
  await worker.stop();
  return rate;
}

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sayso-bench-deliveries-'));
  const receiver = await startReceiver();
  const embedded = await startEmbeddedPostgres({ dataDir, log: createLog(BENCH_SETTINGS.LOG_LEVEL) });
  const database = await createBenchDatabase(embedded.url, 'bench');
  const env = { CONNECTOR_SALESFORCE_URL: receiver.tool };
  const product = await openProduct(database, { worker: false, env });
  const owner = openOwnerPool(database);
  const startWorker = () => openProduct(database, { worker: true, env });
  const { services } = product;
  try {
    const { id: siteId } = await buildSite(services, 'bench');
    const ids = await insertPeople(owner, siteId, PEOPLE);
    await owner.query('analyze');
    await addWebhook(services, siteId, 'global_unsubscribed', receiver.endpoint);
    await leave(services, siteId, ids, true);
    const posts = await perSecond(PEOPLE, () =>
      services.outbound.send({
        method: 'POST',
        url: receiver.endpoint,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ data: 'x'.repeat(600) }),
      }),
    );
    const toEndpoint = await workOff(owner, PEOPLE, startWorker);

    (salesforce as { limits: Connector['limits'] }).limits = [{ requests: 1_000_000, perSeconds: 1 }];
    const tool = await addIntegration(services, siteId, {
      provider: 'salesforce',
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
    const gets = await perSecond(PEOPLE_OF_TOOL, (index) =>
      services.outbound.send({
        method: 'GET',
        url: `${receiver.tool}/services/data/v62.0/query?q=${encodeURIComponent(
          `SELECT Id FROM Contact WHERE Email = 'person-${index}@example.com'`,
        )}`,
        headers: { authorization: `Bearer ${receiver.token}` },
        body: '',
      }),
    );
    await leave(services, siteId, ids.slice(0, PEOPLE_OF_TOOL), false);
    const callsBefore = await receiver.toolCalls();
    const toTool = await workOff(owner, PEOPLE_OF_TOOL, startWorker);
    const callsEach = ((await receiver.toolCalls()) - callsBefore) / PEOPLE_OF_TOOL;
    print({ posts, toEndpoint, gets, toTool, callsEach });
    process.send?.({
      deliveries_per_second: Math.round(toEndpoint),
      tool_calls_per_choice: Number(callsEach.toFixed(2)),
    } satisfies DeliveryFigures);
  } finally {
    await product.stop();
    await owner.end();
    await embedded.stop();
    receiver.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function print({ posts, toEndpoint, gets, toTool, callsEach }: Record<string, number>): void {
  const row = (name: string, rate = 0, against = 0) =>
    `| ${name} | ${Math.round(rate)} | ${against === 0 ? '' : (rate / against).toFixed(2)} |`;
  console.log(`\nDeliveries by one worker: ${PEOPLE} to an endpoint, ${PEOPLE_OF_TOOL} to a tool\n`);
  console.log('| what | a second | ratio |\n|---|---:|---:|');
  console.log(row('plain posts to an endpoint, same process', posts));
  console.log(row('deliveries to the endpoint, signed and recorded', toEndpoint, posts));
  console.log(row('plain calls of a tool, same process', gets));
  console.log(row('deliveries to the tool, looked up, written, read back and recorded', toTool, gets));
  console.log(`\nCalls of the tool for each choice: ${callsEach?.toFixed(2)}`);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
