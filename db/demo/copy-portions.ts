import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { countStatements } from '#server/audience/counters/counters.ts';
import { type Config, ConfigError } from '#server/platform/config.ts';
import { COPIED_TABLES, copyRows, type CopyText } from './copy-rows.ts';
import type { Portion, PortionRows } from './millions-rows.ts';

/** So many transactions copy at once; they commit one after the other. */
const WRITERS = 2;

/** Portions that are ready before they are written: each is some megabytes. */
const AHEAD = 2;

/** Starting a thread takes as long as generating this many customers. */
const OF_THREAD = 20_000;

/** Counters have so many rows for each count. */
const SLOTS = 8;

interface Writing {
  /** How many there are to write. */
  customers: number;
  /** Of the role that owns the tables. */
  ownerUrl: string;
  config: Config;
  /** Ends it after the portions that are being written. */
  signal?: AbortSignal | undefined;
  /** Each time that a transaction has committed. */
  onWritten: (customers: number) => void;
}

/**
 * Generates customers in threads of their own and copies them into the database, each group of portions in a transaction.
 * They commit in order, so that a killed run leaves the first portions and no gaps.
 */
export async function copyPortions(
  groups: Iterable<readonly Portion[]>,
  { customers: count, ownerUrl, config, signal, onWritten }: Writing,
): Promise<void> {
  if (count <= 0) return;
  const threads = startThreads(config, Math.min(availableParallelism(), Math.ceil(count / OF_THREAD)));
  const clients = await Promise.all(Array.from({ length: WRITERS }, () => connect(ownerUrl)));
  const waiting = groups[Symbol.iterator]();
  let generated: Promise<PortionRows>[] = [];
  let customers: number[] = [];
  let number = 0;
  let committed: Promise<void> = Promise.resolve();
  let failed: Error | null = null;

  function generate(): void {
    while (generated.length < threads.count + AHEAD && signal?.aborted !== true) {
      const { value: portions, done } = waiting.next();
      if (done === true) return;
      const rows = threads.generate(portions);
      rows.catch(() => {});
      generated.push(rows);
      customers.push(portions.reduce((sum, portion) => sum + portion.count, 0));
    }
  }

  async function write(client: pg.Client): Promise<void> {
    for (;;) {
      generate();
      const rows = generated.shift();
      const written = customers.shift();
      if (rows === undefined || written === undefined || failed !== null || signal?.aborted === true) return;
      const slot = (number += 1) % SLOTS;
      const before = committed;
      const turn = Promise.withResolvers<void>();
      committed = turn.promise;
      committed.catch(() => {});
      try {
        await copyOne(client, await rows, slot, before);
        onWritten(written);
        turn.resolve();
      } catch (error) {
        failed ??= error instanceof Error ? error : new Error(String(error));
        turn.reject(failed);
        return;
      }
    }
  }

  try {
    await Promise.all(clients.map(write));
    // What failed first; the others failed with it.
    await committed;
  } finally {
    generated = [];
    customers = [];
    await Promise.all([threads.stop(), ...clients.map((client) => client.end().catch(() => {}))]);
  }
}

async function copyOne(
  client: pg.Client,
  { text, counts }: PortionRows,
  slot: number,
  before: Promise<void>,
): Promise<void> {
  await client.query('begin');
  await copyRows(client, text);
  // Both transactions may count in the same rows: counting only after the one before has committed avoids a deadlock.
  await before;
  for (const { siteId, additions } of counts) {
    for (const { sql, parameters } of countStatements(siteId, additions, slot)) {
      await client.query(sql, [...parameters]);
    }
  }
  await client.query('commit');
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // What is under way fails with it.
  client.on('error', () => {});
  await client.connect();
  try {
    await requireCopying(client);
  } catch (error) {
    await client.end();
    throw error;
  }
  return client;
}

/** PostgreSQL refuses COPY into tables whose row-level security binds the role. */
async function requireCopying(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ bound: boolean; superuser: boolean }>(
    `select row_security_active('customers') as bound,
       (select rolsuper from pg_roles where rolname = current_user) as superuser`,
  );
  if (rows[0]?.bound === true) {
    throw new ConfigError(
      `DATABASE_URL: row-level security binds the role ${client.user ?? ''}, so it can't fill the tables by COPY. ` +
        'Leave DATABASE_URL empty, for the built-in database, or use a role with BYPASSRLS.',
    );
  }
  // Rows generated together are consistent, so foreign keys needn't be checked for each.
  if (rows[0]?.superuser === true) await client.query('set session_replication_role = replica');
}

/** Threads that generate, each for one group at a time. */
function startThreads(config: Config, count: number) {
  const threads = Array.from({ length: count }, () => ({
    worker: new Worker(new URL('./millions-thread.ts', import.meta.url), {
      workerData: config,
      // Nearly everything generated is short-lived.
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    }),
    last: Promise.resolve() as Promise<unknown>,
  }));
  let turn = 0;

  async function generateIn(worker: Worker, portions: readonly Portion[]): Promise<PortionRows> {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    worker.postMessage(portions);
    const [message] = (await once(worker, 'message')) as [PortionRows];
    const text = COPIED_TABLES.map((table) => [table, Buffer.from(message.text[table])] as const);
    return { ...message, text: Object.fromEntries(text) as CopyText };
  }

  return {
    count,
    generate(portions: readonly Portion[]): Promise<PortionRows> {
      const thread = threads[(turn += 1) % count];
      if (thread === undefined) throw new Error('There is always a thread');
      const rows = thread.last.then(() => generateIn(thread.worker, portions));
      thread.last = rows.catch(() => {});
      return rows;
    },
    stop: () => Promise.all(threads.map(({ worker }) => worker.terminate())),
  };
}
