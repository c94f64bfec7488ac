import pg from 'pg';
import { ConfigError } from './config.ts';

const CONNECT_WITHIN_MS = 10_000;

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

/** Two connections tell: one holds a transaction while the other asks which process of the database answers it. */
async function isShared(first: pg.Client, second: pg.Client): Promise<boolean> {
  const before = await processOf(first);
  await second.query('begin');
  const held = await processOf(second);
  const after = await processOf(first);
  await second.query('rollback');
  return before !== after || held === before;
}

/**
 * Refuses a pooler that gives each transaction another connection: prepared statements, locks of a session and LISTEN
 * belong to one.
 * @throws ConfigError; otherwise what the database says
 */
export async function refuseSharedConnections(databaseUrl: string): Promise<void> {
  const open = () =>
    new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_WITHIN_MS });
  const clients = [open(), open()] as const;
  for (const client of clients) client.on('error', () => {});
  try {
    for (const client of clients) await client.connect();
    if (!(await isShared(...clients))) return;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
  throw new ConfigError(
    'DATABASE_URL: a pooler such as PgBouncer shares connections between transactions there, and Sayso needs its own. ' +
      'Connect to PostgreSQL itself, or set pool_mode = session for this database.',
  );
}
