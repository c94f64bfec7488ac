import pg from 'pg';
import { inDatabase } from '../harness/nodes.ts';

/** What a call costs: blocks of tables and indexes that PostgreSQL touched for it, and its time. */
export interface Cost {
  /** Of several runs the one in the middle. */
  blocks: number;
  ms: number;
  /** Of the run that touched the fewest: what else happens in the database, such as ANALYZE, only adds to it. */
  fewestBlocks: number;
}

export interface BlockMeter {
  /** Measures several runs: the first also reads what is kept from then on, and others may be at work. */
  costOf(run: (turn: number) => Promise<unknown>, runs: number): Promise<Cost>;
  close(): Promise<void>;
}

const middle = (numbers: readonly number[]) =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;

/** Statistics of a connection are its own until it hands them in, once a second at most without being asked. */
export async function submitStatistics(pool: pg.Pool): Promise<void> {
  const connections = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  await Promise.all(connections.map((one) => one.query('select pg_stat_force_next_flush()')));
  for (const one of connections) one.release();
}

/**
 * Reads PostgreSQL's own count of blocks around a call, so reads and writes, plans and foreign keys are all in it.
 * @param ownerUrl of a role that may see statistics, on the measured database
 * @param pool of the product in this process: its connections hand in what they counted
 */
export async function openBlockMeter(ownerUrl: string, pool: pg.Pool): Promise<BlockMeter> {
  const measured = decodeURIComponent(new URL(ownerUrl).pathname.slice(1));
  // From another database, so that looking counts nothing.
  const client = new pg.Client({ connectionString: inDatabase(ownerUrl, 'postgres') });
  await client.connect();

  async function counted(): Promise<number> {
    await submitStatistics(pool);
    const { rows } = await client.query<{ blocks: string }>(
      'select blks_hit + blks_read as blocks from pg_stat_database where datname = $1',
      [measured],
    );
    return Number(rows[0]?.blocks);
  }

  return {
    async costOf(run, runs) {
      const costs: { blocks: number; ms: number }[] = [];
      await counted();
      for (let turn = 0; turn < runs; turn += 1) {
        const before = await counted();
        const began = performance.now();
        await run(turn);
        const ms = performance.now() - began;
        costs.push({ blocks: (await counted()) - before, ms });
      }
      const blocks = costs.map((one) => one.blocks);
      return {
        blocks: middle(blocks),
        ms: middle(costs.map(({ ms }) => ms)),
        fewestBlocks: Math.min(...blocks),
      };
    },
    close: () => client.end(),
  };
}
