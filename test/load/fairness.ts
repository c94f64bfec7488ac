import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NOTHING_SHOWN, saveChoice } from '#server/choices/choices/choices.ts';
import { createLog } from '#server/platform/log.ts';
import { startEmbeddedPostgres } from '#server/platform/postgres/embedded.ts';
import type { Services } from '#server/platform/services.ts';
import {
  addWebhook,
  BENCH_SETTINGS,
  buildSite,
  createBenchDatabase,
  insertPeople,
  openOwnerPool,
  openProduct,
} from './bench-site.ts';
import { median } from './measure.ts';

/*
 * A part of `npm run bench`: how much later a tenant's deliveries arrive while another tenant has a thousand waiting for
 * a receiver that never answers.
 */

export interface FairnessFigures {
  fair_delay_ms: number;
}

const WAITING = 1000;
const SAMPLES = 15;

/** `/hangs` never answers; everything else does, and is reported. */
async function startEndpoint() {
  const arrivals: (() => void)[] = [];
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/hangs') return;
    response.writeHead(204).end();
    arrivals.shift()?.();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    nextArrival: () => new Promise<void>((resolve) => arrivals.push(resolve)),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function leave(services: Services, siteId: string, customerId: string) {
  return saveChoice(
    services,
    siteId,
    customerId,
    { globalUnsubscribe: true },
    {
      source: 'page',
      authority: 'link',
      saveId: null,
      language: null,
      ip: null,
      userAgent: null,
      shown: NOTHING_SHOWN,
    },
  );
}

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sayso-bench-fairness-'));
  const embedded = await startEmbeddedPostgres({ dataDir, log: createLog(BENCH_SETTINGS.LOG_LEVEL) });
  const database = await createBenchDatabase(embedded.url, 'bench');
  const product = await openProduct(database, { worker: true });
  const owner = openOwnerPool(database);
  const endpoint = await startEndpoint();
  const { services } = product;
  try {
    const slow = await buildSite(services, 'slow');
    const other = await buildSite(services, 'other');
    await addWebhook(services, slow.id, 'global_unsubscribed', `${endpoint.url}/hangs`);
    await addWebhook(services, other.id, 'global_unsubscribed', `${endpoint.url}/answers`);
    const ofSlow = await insertPeople(owner, slow.id, WAITING);
    const ofOther = await insertPeople(owner, other.id, 2 * SAMPLES);
    await owner.query('analyze');

    /** Milliseconds from the save to the arrival of its delivery. */
    async function delays(ids: readonly string[]): Promise<number[]> {
      const all: number[] = [];
      for (const id of ids) {
        const arrival = endpoint.nextArrival();
        const began = performance.now();
        await leave(services, other.id, id);
        await arrival;
        all.push(performance.now() - began);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return all;
    }

    const alone = median(await delays(ofOther.slice(0, SAMPLES)));
    await Promise.all(ofSlow.map((id) => leave(services, slow.id, id)));
    const beside = median(await delays(ofOther.slice(SAMPLES)));
    const fairDelayMs = Math.round(beside - alone);
    console.log(
      `\nA delivery arrives after ${Math.round(alone)} ms; after ${Math.round(beside)} ms while another tenant has ${WAITING} waiting for a receiver that hangs (target: at most 500 ms later)`,
    );
    process.send?.({ fair_delay_ms: fairDelayMs } satisfies FairnessFigures);
  } finally {
    endpoint.close();
    await product.stop();
    await owner.end();
    await embedded.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
