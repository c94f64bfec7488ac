import pg from 'pg';

/** Superuser connections of the workers of a Citus cluster that `test/with-citus.sh` started; none on plain PostgreSQL. */
export const WORKER_URLS: readonly string[] = (process.env['CITUS_WORKERS'] ?? '').split(',').filter(Boolean);

/** Do the tests of this run have a Citus cluster? */
export const isOnCitus = WORKER_URLS.length > 0;

/** The same server, another database of it. */
export function inDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/** Where databases are made and dropped: without Citus, which would keep count of them. */
const MAINTENANCE = 'postgres';

/** One server: plain PostgreSQL, or a node of a cluster. */
async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: inDatabase(url, MAINTENANCE) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** All servers that hold a part of the database, one after the other. */
async function onEveryServer(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  for (const server of [url, ...WORKER_URLS]) await onServer(server, work);
}

/**
 * An empty database on every node, with the extension and the workers that it has there: what PostgreSQL's own
 * `create database` makes would be a plain one.
 * @param url of a superuser
 * @param owner a role that the cluster has; default: the superuser
 */
export async function createEmptyDatabase(url: string, name: string, owner?: string): Promise<void> {
  const owned = owner === undefined ? '' : ` owner ${owner}`;
  await onEveryServer(url, async (client) => void (await client.query(`create database ${name}${owned}`)));
  if (!isOnCitus) return;
  for (const server of [url, ...WORKER_URLS])
    await queryOn(inDatabase(server, name), 'create extension citus');
  const addressOf = (node: string) => [new URL(node).hostname, Number(new URL(node).port)];
  const coordinator = inDatabase(url, name);
  await queryOn(coordinator, 'select citus_set_coordinator_host($1, $2)', addressOf(url));
  for (const worker of WORKER_URLS)
    await queryOn(coordinator, 'select citus_add_node($1, $2)', addressOf(worker));
}

async function queryOn(url: string, text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text, values);
  } finally {
    await client.end();
  }
}

/** Nobody can connect to it any more, and it can be copied: Citus's own connections would be in the way. */
export async function closeForCopies(url: string, name: string): Promise<void> {
  await onEveryServer(url, async (client) => {
    await client.query(`alter database ${name} allow_connections false`);
    await endConnections(client, name);
  });
}

/** Ends what is connected to a database, and waits until it is gone. */
async function endConnections(client: pg.Client, name: string): Promise<void> {
  await client.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1', [
    name,
  ]);
}

/** A number of its own for the lock of those who copy. */
const COPYING = 727463002;

/** A copy of a database on every node. Two files may copy at once; PostgreSQL refuses a template that is in use. */
export async function copyDatabase(
  url: string,
  template: string,
  name: string,
  mustBeDistributed = isOnCitus,
): Promise<void> {
  await onEveryServer(url, async (client) => {
    await client.query('select pg_advisory_lock($1)', [COPYING]);
    // Its pages would go through the log one by one otherwise, which costs four times as much.
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
  if (mustBeDistributed) await requireDistributed(inDatabase(url, name));
}

/**
 * Tests that pass on plain tables would prove nothing of Citus.
 * @throws if the tables of a database are on the coordinator only
 */
export async function requireDistributed(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ found: string | null }>(
      `select to_regclass('pg_dist_partition') as found`,
    );
    const isCitus = (rows[0]?.found ?? null) !== null;
    const tables = isCitus ? (await client.query('select 1 from pg_dist_partition')).rows.length : 0;
    if (tables === 0)
      throw new Error('This is no database of a Citus cluster: none of its tables is distributed.');
  } finally {
    await client.end();
  }
}

const OBJECT_IN_USE = '55006';
const DROPS = 10;

/** Ends all connections to a database, and drops it on every node. Citus may come back to it before it is gone. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await onEveryServer(url, async (client) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return void (await client.query(`drop database if exists ${name} with (force)`));
      } catch (error) {
        if ((error as { code?: string }).code !== OBJECT_IN_USE || tries === DROPS) throw error;
      }
    }
  });
}
