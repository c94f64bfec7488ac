import pg from 'pg';
import { ConfigError } from './config.ts';
import type { GlobalDb } from './database.ts';
import type { Keyring } from './secrets.ts';

/* What is known about the database as a whole: with which key it is used, and whether its workers have to wait. */

export interface Installation {
  key_fingerprint: string;
  workers_paused_at: Date | null;
  restored_at: Date | null;
  backup_taken_at: Date | null;
}

/** Tells keys apart and says nothing about them. */
export function fingerprintsOf(keyring: Keyring): string[] {
  return keyring.deriveAll('key-fingerprint').map((key) => key.toString('hex').slice(0, 32));
}

/** The name of the server's role, by what its key derives for it. */
export function roleNameOf(key: Buffer): string {
  return `sayso_app_${key.subarray(0, 4).toString('hex')}`;
}

const OTHER_KEY =
  'SECRET_KEY: this is not the key that this database is used with. Start with that key; to change it, put the new one in front: SECRET_KEY=new,old.';

async function has(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    `public.${table}`,
  ]);
  return rows[0]?.there === true;
}

/** @returns null where no Sayso has started since there are fingerprints */
export async function findInstallation(client: pg.Client): Promise<Installation | null> {
  if (!(await has(client, 'installation'))) return null;
  const { rows } = await client.query<Installation>('select * from installation');
  return rows[0] ?? null;
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Nothing was sealed with a key that nobody has: a product that starts with another one would make links that do not
 * work, and read no credentials.
 * @param ownerUrl of the role that owns the tables
 * @throws ConfigError
 */
export async function refuseOtherKey(ownerUrl: string, keyring: Keyring): Promise<void> {
  await connected(ownerUrl, async (client) => {
    const known = await findInstallation(client);
    const isOurs =
      known === null
        ? await mayBeOurs(client, keyring)
        : fingerprintsOf(keyring).includes(known.key_fingerprint);
    if (!isOurs) throw new ConfigError(OTHER_KEY);
  });
}

/** Was a key ever used with this database, while there is none to start with? */
export async function isUsedWithKey(ownerUrl: string): Promise<boolean> {
  return connected(ownerUrl, async (client) => (await findInstallation(client)) !== null);
}

/**
 * Of a database from before there were fingerprints: a key is its key when the role that is made from it may read there,
 * or when the newest record was sealed with it.
 */
async function mayBeOurs(client: pg.Client, keyring: Keyring): Promise<boolean> {
  if (!(await has(client, 'choices'))) return true;
  const names = keyring.deriveAll('database-role').map(roleNameOf);
  const { rows: roles } = await client.query(
    `select 1 from pg_roles where rolname = any($1) and has_table_privilege(oid, 'public.sites', 'select')`,
    [names],
  );
  if (roles.length > 0) return true;
  const { rows: sites } = await client.query<{ id: string }>(
    'select id from sites order by id desc limit 100',
  );
  for (const { id } of sites) {
    const sealed = await newestSealed(client, id);
    if (sealed !== null) return keyring.ids.some((keyId) => sealed.subarray(0, keyId.length).equals(keyId));
  }
  return true;
}

async function newestSealed(client: pg.Client, siteId: string): Promise<Buffer | null> {
  await client.query('begin');
  try {
    await client.query(`set local citus.propagate_set_commands = 'local'`);
    await client.query(`set local app.site_id = ${pg.escapeLiteral(siteId)}`);
    const { rows } = await client.query<{ sealed: string }>(
      'select person_sealed as sealed from choices where site_id = $1 order by id desc limit 1',
      [siteId],
    );
    return rows[0] === undefined ? null : Buffer.from(rows[0].sealed, 'base64url');
  } finally {
    await client.query('rollback');
  }
}

/** From now on the database is known by the newest of these keys. */
export async function recordKey(client: pg.Client, keyring: Keyring): Promise<void> {
  if (!(await has(client, 'installation'))) return;
  await client.query(
    `insert into installation (id, key_fingerprint) values (1, $1)
     on conflict (id) do update set key_fingerprint = excluded.key_fingerprint`,
    [fingerprintsOf(keyring)[0]],
  );
}

/** May the workers of this database not work? A restored copy waits until somebody says that they may. */
export async function areWorkersPaused({ query }: Pick<GlobalDb, 'query'>): Promise<boolean> {
  const { rows } = await query('select 1 from installation where workers_paused_at is not null');
  return rows.length > 0;
}

/** @returns whether they were paused */
export async function resumeWorkers(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    'update installation set workers_paused_at = null where workers_paused_at is not null returning id',
  );
  return rows.length > 0;
}
