import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import type { SiteTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import type { TestProduct } from './product.ts';

interface Explained {
  'QUERY PLAN': { Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }[];
}

/** How many blocks of tables and indexes the statements of a rule touch. */
export interface BlockCounter {
  /** @param rule gets services whose statements are counted */
  blocksOf(rule: (services: Services) => Promise<unknown>): Promise<number>;
  close(): Promise<void>;
}

function refuse(): never {
  throw new Error('What only reads commits nothing');
}

/** They share a connection. */
function oneAfterTheOther(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const working = last.then(work);
    last = working.catch(() => {});
    return working;
  };
}

/** @param uses how often a statement was executed when it is looked at: PostgreSQL may plan it for all values by then */
export async function countBlocks(product: TestProduct, uses: number): Promise<BlockCounter> {
  const client = new pg.Client({ connectionString: product.testDatabase.appUrl });
  await client.connect();
  let blocks = 0;
  const names = new Map<string, string>();
  const inTurn = oneAfterTheOther();

  /** As the product does: prepared under a name, without types of the parameters. */
  async function prepared(text: string): Promise<string> {
    const known = names.get(text);
    if (known !== undefined) return known;
    const name = `counted_${names.size}`;
    names.set(text, name);
    await client.query(`prepare ${name} as ${text}`);
    return name;
  }

  function query(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    return inTurn(async () => {
      const literals = values.map((value) =>
        value === null ? 'null' : pg.escapeLiteral(String(prepareValue(value))),
      );
      const call = literals.length === 0 ? '' : `(${literals.join(', ')})`;
      const execute = `execute ${await prepared(text)}${call}`;
      for (let use = 1; use < uses; use += 1) await client.query(execute);
      const { rows } = await client.query<Explained>(`explain (analyze, buffers, format json) ${execute}`);
      const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
      blocks += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
      return client.query(text, [...values]);
    });
  }

  const connection = { query, release: () => {} };
  const db = new Kysely<SiteTables>({
    dialect: new PostgresDialect({
      pool: { connect: async () => connection, end: async () => {} } as never,
    }),
  });

  const transactionInTurn = oneAfterTheOther();

  function readSite<T>(siteId: string, work: (site: SiteDb) => Promise<T>): Promise<T> {
    return transactionInTurn(async () => {
      await client.query('begin');
      await client.query(`set local app.site_id = '${siteId}'`);
      const result = await work({ id: siteId, db, query, commitWith: refuse, afterCommit: refuse });
      await client.query('commit');
      return result;
    });
  }

  return {
    async blocksOf(rule) {
      blocks = 0;
      await rule({ ...product.services, database: { ...product.services.database, readSite } });
      return blocks;
    },
    close: () => client.end(),
  };
}
