import type { Insertable, Selectable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type KeyRow = Selectable<TenantTables['api_keys']>;

/** Keys that are not revoked. */
export async function liveKeys({ id, db }: SiteDb): Promise<KeyRow[]> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('site_id', '=', id)
    .where('revoked_at', 'is', null)
    .orderBy('id', 'desc')
    .execute();
}

export async function liveKeyOfHash({ id, db }: SiteDb, hash: Buffer): Promise<KeyRow | undefined> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('site_id', '=', id)
    .where('key_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

export async function insertKey({ db }: SiteDb, row: Insertable<TenantTables['api_keys']>): Promise<void> {
  await db.insertInto('api_keys').values(row).execute();
}

/** @returns whether the key existed and was not revoked yet */
export async function markRevoked({ id, db }: SiteDb, keyId: string, now: Date): Promise<boolean> {
  const row = await db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('site_id', '=', id)
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function revokeKeysBy(
  { id, db }: Pick<SiteDb, 'id' | 'db'>,
  userId: string,
  now: Date,
): Promise<Pick<KeyRow, 'id' | 'name'>[]> {
  return db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('site_id', '=', id)
    .where('created_by', '=', userId)
    .where('revoked_at', 'is', null)
    .returning(['id', 'name'])
    .execute();
}

export async function recordKeyUse({ id, db }: SiteDb, keyId: string, at: Date): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: at })
    .where('site_id', '=', id)
    .where('id', '=', keyId)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', at)]))
    .execute();
}

export async function recordKeyChange({ id, db }: SiteDb, keyId: string, now: Date): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_changed_at: now })
    .where('site_id', '=', id)
    .where('id', '=', keyId)
    .execute();
}
