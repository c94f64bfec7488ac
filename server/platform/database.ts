import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import type { GlobalTables, SiteTables } from '#db/tables.ts';
import { isDatabaseAway, isDeadlock, UndecidedCommit } from './database-errors.ts';
import { isId } from './ids.ts';
import { type Client, inOneWrite, openPool, type PoolOptions } from './pool.ts';
import type { Storage } from './storage.ts';
import { currentTenant, detached } from './tenant-budget.ts';

/** A statement that is written but not sent: what Kysely's `compile()` gives. */
export interface Statement<Row = unknown> {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Never set; carries the type of the rows. */
  readonly row?: Row;
}

/**
 * Builds a statement once and only exchanges its parameters from then on; for the busiest ones, whose building
 * would take longer than their sending.
 * @param build whose statement has exactly its arguments as parameters, in their order
 */
export function builtOnce<Arguments extends readonly unknown[], Row>(
  build: (db: Kysely<SiteTables>, ...args: Arguments) => CompiledQuery<Row>,
): (db: Kysely<SiteTables>, ...args: Arguments) => CompiledQuery<Row> {
  let built: CompiledQuery<Row> | null = null;
  return (db, ...args) => {
    if (built === null) {
      built = build(db, ...args);
      const inOrder =
        built.parameters.length === args.length && built.parameters.every((one, at) => one === args[at]);
      if (!inOrder) throw new Error('A statement that is built once has exactly its arguments as parameters');
    }
    return { ...built, parameters: args };
  };
}

/** Statements of one site: every one of them names `id` as well, because the policy does not route. */
export interface SiteDb {
  readonly id: string;
  readonly db: Kysely<SiteTables>;
  /** Sends the last statements and the commit in one go: a round trip less. Nothing may follow. */
  readonly commitWith: (statements: readonly Statement[]) => Promise<void>;
  /** Runs when, and only when, this transaction has committed. */
  readonly afterCommit: (then: () => void) => void;
  /** The connection's raw statements, for the queue's tables in the same transaction. */
  readonly query: (text: string, values?: unknown[], patience?: Patience) => Promise<{ rows: unknown[] }>;
}

/** For a statement that reads a whole site, which takes longer than the pool waits for any other. */
export interface Patience {
  withinMs: number;
}

/** The rows that each of several statements gives. */
export type RowsOf<Statements extends readonly CompiledQuery[]> = {
  [Index in keyof Statements]: Statements[Index] extends CompiledQuery<infer Row> ? Row[] : never;
};

export interface GlobalDb {
  readonly db: Kysely<GlobalTables>;
  readonly query: (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;
}

export interface Database {
  /** Statements on the tables before any tenant, each for itself. */
  readonly global: GlobalDb;
  readonly pool: pg.Pool;
  readonly storage: Storage;
  /** One transaction on the tables before any tenant. Work of any transaction runs again after a deadlock. */
  inTransaction<T>(work: (tx: GlobalDb) => Promise<T>): Promise<T>;
  /** One transaction of a site: commits when `work` resolves, else rolls back and rethrows. */
  inSite<T>(siteId: string, work: (site: SiteDb) => Promise<T>): Promise<T>;
  /** Like `inSite`; begins with statements in one go and gives `work` the rows of each. */
  inSiteAfter<First extends readonly CompiledQuery[], T>(
    siteId: string,
    first: (db: Kysely<SiteTables>) => readonly [...First],
    work: (site: SiteDb, rows: RowsOf<First>) => Promise<T>,
  ): Promise<T>;
  /** Like `inSite` for reading only: the answer does not wait for the commit. */
  readSite<T>(siteId: string, work: (site: SiteDb) => Promise<T>): Promise<T>;
  /** The rows of one statement, its transaction around it in the same round trip. */
  readOnce<Row>(siteId: string, statement: (db: Kysely<SiteTables>) => CompiledQuery<Row>): Promise<Row[]>;
  close(): Promise<void>;
}

/** What makes the rows of a site, and no others, visible to the transaction. */
function siteSettings(siteId: string): string[] {
  // SET LOCAL takes no parameter; a checked UUID is safe to write out.
  if (!isId(siteId)) throw new Error('A site id is a UUID');
  return [`set local citus.propagate_set_commands = 'local'`, `set local app.site_id = '${siteId}'`];
}

/** From here on a transaction on the tables before any tenant is one of this site as well. */
export async function enterSite(tx: GlobalDb, siteId: string): Promise<Pick<SiteDb, 'id' | 'db'>> {
  for (const setting of siteSettings(siteId)) await tx.query(setting);
  return { id: siteId, db: tx.db as unknown as Kysely<SiteTables> };
}

/**
 * Until the end of the transaction nobody else does what is named so: for rules that count rows before they add one.
 * A statement of its own, because it is the coordinator's where there are several nodes.
 */
export async function advisoryLock(tx: Pick<GlobalDb, 'query'>, what: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [what]);
}

const BEGIN: Statement = { sql: 'begin', parameters: [] };
const COMMIT: Statement = { sql: 'commit', parameters: [] };

/** PostgreSQL answers COMMIT with ROLLBACK, and no error, when a statement before it had failed. */
function refuseRollback(answer: pg.QueryResult | undefined): void {
  if (answer?.command !== 'COMMIT') throw new Error('The transaction was rolled back by an earlier error');
}

/** A commit that was sent and not answered may have happened: nobody may be told that nothing was done. */
async function decided<T>(committing: Promise<T>): Promise<T> {
  try {
    return await committing;
  } catch (error) {
    throw isDatabaseAway(error) ? new UndecidedCommit(error) : error;
  }
}

const MOST_TRIES = 4;

/**
 * At most this long after a deadlock the same work is tried again. At once, it could get back its first lock before the
 * other transaction, which waits for it, has woken up; and both would wait for each other again.
 */
const PAUSE_AFTER_DEADLOCK_MS = 200;

/** What was rolled back because of a deadlock is done again: the other transaction goes on meanwhile. */
async function retryOnDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isDeadlock(error) || tries === MOST_TRIES) throw error;
      await sleep(PAUSE_AFTER_DEADLOCK_MS * (0.5 + Math.random() / 2));
    }
  }
}

/** How far a transaction has come. */
interface TransactionState {
  committed: boolean;
  afterCommit: (() => void)[];
}

type SendOne = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

function connectionOver(send: SendOne): DatabaseConnection {
  return {
    async executeQuery<R>(query: { sql: string; parameters: readonly unknown[] }): Promise<QueryResult<R>> {
      const result = await send(query.sql, query.parameters as unknown[]);
      return { rows: result.rows as R[], numAffectedRows: BigInt(result.rowCount ?? 0) };
    },
    // oxlint-disable-next-line require-yield
    async *streamQuery() {
      throw new Error('Rows are paged here, not streamed');
    },
  };
}

/**
 * Kysely over connections that this module holds. Kysely's own transactions wait for each statement
 * before sending the next; these do not, so that statements which do not need each other share a round trip.
 */
function dialectOver(send: SendOne): Dialect {
  const connection = connectionOver(send);
  const refuse = async () => {
    throw new Error('Transactions are opened by inTransaction, inSite and readSite');
  };
  return {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => connection,
      releaseConnection: async () => {},
      beginTransaction: refuse,
      commitTransaction: refuse,
      rollbackTransaction: refuse,
      destroy: async () => {},
    }),
  };
}

function ignore(): void {}

const MAX_NAMED_STATEMENTS = 400;

/**
 * Names of prepared statements by their text: a statement under row-level security takes longer to plan than to run. Texts
 * that vary without end (inserts of any number of rows) stay unnamed once the names are used up.
 */
function createNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= MAX_NAMED_STATEMENTS) return known;
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
}

type Work<T> = (
  client: Client,
  transactionState: TransactionState,
  opened: Promise<pg.QueryResult[]>,
) => Promise<T>;

/** Sends statements one behind the other, without waiting in between: one round trip. */
type Send = (client: Client, statements: readonly Statement[]) => Promise<pg.QueryResult[]>;

/** @param url of the role that the server works as: it owns nothing and cannot bypass row-level security. */
export function openDatabase(url: string, options: PoolOptions): Database {
  const tenantPool = openPool(url, options);
  const { pool, storage, replanned, withClient } = tenantPool;
  const nameOf = createNames();

  function named(text: string, values: unknown[]): pg.QueryConfig {
    const name = nameOf(text);
    return name === undefined ? { text, values } : { name, text, values };
  }

  const send: Send = (client, statements) =>
    inOneWrite(client, () =>
      Promise.all(
        statements.map(({ sql, parameters }) =>
          client.query(parameters.length === 0 ? { text: sql } : named(sql, parameters as unknown[])),
        ),
      ),
    );

  const kyselyOf = createKyselyOf(named);

  function queryAlone(config: pg.QueryConfig): Promise<pg.QueryResult> {
    return replanned(() => withClient(currentTenant(), (client) => queryOn(client, config)));
  }

  async function transaction<T>(
    tenant: string | null,
    begin: readonly Statement[],
    end: 'commit' | 'release',
    work: Work<T>,
  ): Promise<T> {
    const { result, transactionState } = await retryOnDeadlock(() =>
      replanned(() => withClient(tenant, (client) => transactionOn(send, client, { begin, end, work }))),
    );
    for (const then of transactionState.afterCommit) detached(then);
    return result;
  }

  const siteWork = createSiteWork(send, kyselyOf);
  return {
    pool,
    storage,
    global: {
      db: new Kysely<GlobalTables>({
        dialect: dialectOver((text, values) => queryAlone(named(text, values))),
      }),
      query: (text, values = []) => queryAlone(named(text, values)),
    },
    inTransaction: (work) =>
      transaction(currentTenant(), [BEGIN], 'commit', (client) =>
        work({
          db: kyselyOf(client) as unknown as Kysely<GlobalTables>,
          query: (text, values) => client.query(text, values),
        }),
      ),
    inSite: (siteId, work) =>
      transaction(tenantOf(siteId), siteBegin(siteId), 'commit', siteWork(siteId, work)),
    inSiteAfter: (siteId, first, work) => {
      const opening = [...siteBegin(siteId), ...first(builder)];
      return transaction(tenantOf(siteId), opening, 'commit', async (client, transactionState, opened) => {
        const answers = await opened;
        const rows = answers.slice(siteBegin(siteId).length).map((answer) => answer.rows);
        return siteWork(siteId, (site) => work(site, rows as never))(client, transactionState);
      });
    },
    readSite: (siteId, work) =>
      transaction(tenantOf(siteId), siteBegin(siteId), 'release', siteWork(siteId, work)),
    readOnce: (siteId, statement) =>
      replanned(() => withClient(tenantOf(siteId), (client) => readOn(send, client, siteId, statement))),
    close: () => tenantPool.close(),
  };
}

/** Jobs have a place beside the site's visitors. */
function tenantOf(siteId: string): string {
  return currentTenant() ?? `jobs:${siteId}`;
}

function siteBegin(siteId: string): Statement[] {
  return ['begin', ...siteSettings(siteId)].map((sql) => ({ sql, parameters: [] }));
}

/** Builds statements that are sent by other ways than its own. */
const builder = new Kysely<SiteTables>({
  dialect: {
    ...dialectOver(async () => Promise.reject(new Error('Only for building'))),
    createDriver: () => new DummyDriver(),
  },
});

/** One Kysely for each connection. */
function createKyselyOf(
  named: (text: string, values: unknown[]) => pg.QueryConfig,
): (client: Client) => Kysely<SiteTables> {
  const byClient = new WeakMap<Client, Kysely<SiteTables>>();
  return (client) => {
    const known = byClient.get(client);
    if (known !== undefined) return known;
    const db = new Kysely<SiteTables>({
      dialect: dialectOver((text, values) => client.query(named(text, values))),
    });
    byClient.set(client, db);
    return db;
  };
}

async function queryOn(client: Client, config: pg.QueryConfig): Promise<pg.QueryResult> {
  try {
    const answer = await client.query(config);
    client.release();
    return answer;
  } catch (error) {
    client.release(isDatabaseAway(error));
    throw error;
  }
}

async function transactionOn<T>(
  send: Send,
  client: Client,
  { begin, end, work }: { begin: readonly Statement[]; end: 'commit' | 'release'; work: Work<T> },
): Promise<{ result: T; transactionState: TransactionState }> {
  let broken: Error | undefined;
  const transactionState: TransactionState = { committed: false, afterCommit: [] };
  try {
    // Not awaited: it travels with the first statement, which fails if this one did.
    const opened = send(client, begin);
    opened.catch(ignore);
    const result = await work(client, transactionState, opened);
    await opened;
    if (!transactionState.committed) {
      const closing = commit(client);
      if (end === 'commit') await closing;
      else closing.catch(ignore);
    }
    return { result, transactionState };
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function commit(client: Client): Promise<void> {
  refuseRollback(await decided(client.query('commit')));
}

/** What a site's transaction does, with what it may do it by. */
function createSiteWork(send: Send, kyselyOf: (client: Client) => Kysely<SiteTables>) {
  return <T>(siteId: string, work: (site: SiteDb) => Promise<T>) =>
    (client: Client, transactionState: TransactionState) =>
      work({
        id: siteId,
        db: kyselyOf(client),
        query: (text, values, patience) =>
          client.query({
            text,
            ...(values !== undefined && { values }),
            ...(patience !== undefined && { query_timeout: patience.withinMs }),
          } as pg.QueryConfig),
        afterCommit: (then) => void transactionState.afterCommit.push(then),
        async commitWith(statements) {
          const answers = await decided(send(client, [...statements, COMMIT]));
          refuseRollback(answers.at(-1));
          transactionState.committed = true;
        },
      });
}

async function readOn<Row>(
  send: Send,
  client: Client,
  siteId: string,
  statement: (db: Kysely<SiteTables>) => CompiledQuery<Row>,
): Promise<Row[]> {
  try {
    const answers = await send(client, [...siteBegin(siteId), statement(builder), COMMIT]);
    client.release();
    return answers.at(-2)?.rows as Row[];
  } catch (error) {
    // The transaction may be open still; a new connection is simpler than finding out.
    client.release(true);
    throw error;
  }
}
