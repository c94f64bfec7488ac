import pg from 'pg';
import { ConfigError } from './config.ts';
import type { GlobalDb } from './database.ts';
import type { Keyring } from './secrets.ts';

/* State of the database as a whole: the key that it is used with, and whether its workers are paused. */

export interface Installation {
  key_fingerprint: string;
  workers_paused_at: Date | null;
  restored_at: Date | null;
  backup_taken_at: Date | null;
}

/** Identifies a key without revealing it. */
export function fingerprintsOf(keyring: Keyring): string[] {
  return keyring.deriveAll('key-fingerprint').map((key) => key.toString('hex').slice(0, 32));
}

/** The name of the server's role, derived from the key. */
export function roleNameOf(key: Buffer): string {
  return `sayso_app_${key.subarray(0, 4).toString('hex')}`;
}

const OTHER_KEY =
  'SECRET_KEY: this database uses another key. Start with that key. To change it, put the new key first: SECRET_KEY=new,old.';

async function has(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    `public.${table}`,
  ]);
  return rows[0]?.there === true;
}

/** @returns null if no version with fingerprints has started yet */
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
 * Refuses to start with a key other than the database's: links would not work, and credentials could not be decrypted.
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

/** Whether this database was used with a key, although none is available now. */
export async function isUsedWithKey(ownerUrl: string): Promise<boolean> {
  return connected(ownerUrl, async (client) => (await findInstallation(client)) !== null);
}

/**
 * For databases from before fingerprints: a key matches if the role derived from it can read the database, or if it
 * decrypts the newest record.
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

/** Stores the fingerprint of the newest key. */
export async function recordKey(client: pg.Client, keyring: Keyring): Promise<void> {
  if (!(await has(client, 'installation'))) return;
  await client.query(
    `insert into installation (id, key_fingerprint) values (1, $1)
     on conflict (id) do update set key_fingerprint = excluded.key_fingerprint`,
    [fingerprintsOf(keyring)[0]],
  );
}

/** Whether this database's workers are paused, as in a restored copy until an operator resumes them. */
export async function areWorkersPaused({ query }: Pick<GlobalDb, 'query'>): Promise<boolean> {
  const { rows } = await query('select 1 from installation where workers_paused_at is not null');
  return rows.length > 0;
}

/** The public keys that were stored before keys were endorsed. The server's own role can't add to them. */
export async function keysFromBefore({ query }: Pick<GlobalDb, 'query'>): Promise<string[]> {
  const { rows } = await query('select keys_from_before as kids from installation');
  return (rows as { kids: string[] }[])[0]?.kids ?? [];
}

/** @returns whether they were paused */
export async function resumeWorkers(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    'update installation set workers_paused_at = null where workers_paused_at is not null returning id',
  );
  return rows.length > 0;
}
