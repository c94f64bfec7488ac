import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMillions } from '#db/demo/millions.ts';
import { readConfig } from '#server/platform/config.ts';
import { createLog } from '#server/platform/log.ts';
import { migrate } from '#server/platform/migrate.ts';
import { startEmbeddedPostgres } from '#server/platform/postgres/embedded.ts';
import { createKeyring, withSecretKeys } from '#server/platform/secrets.ts';
import { createProduct } from '#server/product.ts';
import { QUEUES } from '#server/queues.ts';
import { openBlockMeter } from './block-meter.ts';
import { type GrowthRow, type Measured, tableOf } from './growth-table.ts';
import { openGrowthWorld } from './growth-world.ts';
import { BENCH_SETTINGS } from './bench-site.ts';
import { freePort } from '#test/harness/ports.ts';

/*
 * `npm run bench -- growth 10000 100000`: one site grows to these sizes, and what every route that reads costs at each is
 * printed as one table, again after each size. `BENCH_DATA=folder` keeps the data there and goes on with what it holds.
 */

const SIZES = [10_000, 100_000];

const ONLY = process.env['BENCH_ONLY'] ?? '';

const READ_RUNS = 5;
const WRITE_RUNS = 15;

/** @param args how many customers there are to be, from the smallest */
export async function benchGrowth(args: readonly string[]): Promise<void> {
  const sizes = args.length === 0 ? SIZES : args.map(Number);
  const kept = process.env['BENCH_DATA'];
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'sayso-growth-'));
  mkdirSync(dataDir, { recursive: true });
  const log = createLog('error');
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  // While the product stops, nothing else may keep the process.
  const alive = setInterval(() => {}, 1000);
  try {
    const port = String(await freePort());
    // Few connections, so that each has prepared the statements after a few calls.
    const env = {
      ...BENCH_SETTINGS,
      NODE_ENV: 'test',
      DATA_DIR: dataDir,
      PORT: port,
      DATABASE_CONNECTIONS: '6',
    };
    const config = withSecretKeys(readConfig(env));
    const url = await migrate(postgres.url, createKeyring(config.secretKeys), QUEUES);
    const product = await createProduct(config, url, { log, worker: false });
    await product.listen();
    try {
      const { services } = product;
      const rows = new Map<string, GrowthRow>();
      for (const customers of sizes) {
        await createMillions(services, { customers, ownerUrl: postgres.url, say: console.error });
        const measured = await measure({ base: config.appUrl, services, ownerUrl: postgres.url });
        for (const [name, cost] of measured) {
          const row = rows.get(name) ?? { name, bySize: new Map() };
          row.bySize.set(customers, cost);
          rows.set(name, row);
        }
        console.log(`\n${new Date().toISOString()}, ${cpus().length} cores, Node ${process.version}\n`);
        console.log(tableOf([...rows.values()]));
      }
    } finally {
      await product.stop();
    }
  } finally {
    clearInterval(alive);
    await postgres.stop();
    if (kept === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What each route costs now. */
async function measure(place: Parameters<typeof openGrowthWorld>[0]): Promise<Map<string, Measured>> {
  const { reads, writes } = await openGrowthWorld(place);
  const meter = await openBlockMeter(place.ownerUrl, place.services.database.pool);
  const found = new Map<string, Measured>();
  const calls = [
    ...reads.map(({ route, variant, run }) => ({ name: `${route} ${variant}`.trim(), run, runs: READ_RUNS })),
    ...writes.map((write) => ({ ...write, runs: WRITE_RUNS })),
  ];
  try {
    for (const { name, run, runs } of calls.filter((call) => call.name.includes(ONLY)))
      found.set(name, await meter.costOf(run, runs).catch((error: unknown) => String(error).slice(0, 300)));
  } finally {
    await meter.close();
  }
  return found;
}
