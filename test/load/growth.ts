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
import { openGrowthWorld } from './growth-world.ts';
import { BENCH_SETTINGS } from './bench-site.ts';
import { freePort } from '#test/harness/ports.ts';

/*
 * `npm run bench -- growth 10000 100000`: one site grows to these sizes, and what every route that reads costs at each is
 * printed as a table. `BENCH_DATA=folder` keeps the data there and goes on with what it holds.
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
      for (const customers of sizes) {
        await createMillions(services, { customers, ownerUrl: postgres.url, say: console.error });
        await print({ base: config.appUrl, services, ownerUrl: postgres.url }, customers);
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

async function print(place: Parameters<typeof openGrowthWorld>[0], customers: number): Promise<void> {
  const { reads, writes } = await openGrowthWorld(place);
  const meter = await openBlockMeter(place.ownerUrl, place.services.database.pool);
  try {
    console.log(
      `\n${customers.toLocaleString('en')} customers, ${cpus().length} cores, Node ${process.version}`,
    );
    console.log('| what | blocks | ms |\n|---|---:|---:|');
    const rows = [
      ...reads.map(({ route, variant, run }) => ({
        name: `${route} ${variant}`.trim(),
        run,
        runs: READ_RUNS,
      })),
      ...writes.map((write) => ({ ...write, runs: WRITE_RUNS })),
    ];
    for (const { name, run, runs } of rows.filter((row) => row.name.includes(ONLY))) {
      try {
        const { blocks, ms } = await meter.costOf(run, runs);
        console.log(`| ${name} | ${blocks} | ${ms.toFixed(ms < 10 ? 1 : 0)} |`);
      } catch (error) {
        console.log(`| ${name} | ${String(error).slice(0, 300)} | |`);
      }
    }
  } finally {
    await meter.close();
  }
}
