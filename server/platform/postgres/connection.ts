import pg from 'pg';

export type Target = { port: number; password: string };

export function urlOf({ port, password }: Target, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
}

export async function withClient<T>(
  target: Target,
  use: (client: pg.Client) => Promise<T>,
  queryWithinMs = 5000,
): Promise<T> {
  const client = new pg.Client({
    connectionString: urlOf(target, 'postgres'),
    connectionTimeoutMillis: 2000,
    query_timeout: queryWithinMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Copies the template on disk, which is slow on a busy machine. */
const CREATION_MS = 60_000;

export async function createDatabase(target: Target, name: string): Promise<void> {
  await withClient(
    target,
    async (client) => {
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
      if (!rowCount) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
    },
    CREATION_MS,
  );
}
