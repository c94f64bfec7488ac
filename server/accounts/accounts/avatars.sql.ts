import type { Insertable } from 'kysely';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';

/** An account has one avatar: a new one replaces it under a new URL. */
export async function storeAvatar(tx: GlobalDb, avatar: Insertable<GlobalTables['avatars']>): Promise<void> {
  await deleteAvatar(tx, avatar.user_id);
  await tx.db.insertInto('avatars').values(avatar).execute();
}

export async function deleteAvatar(tx: GlobalDb, userId: string): Promise<void> {
  await tx.db.deleteFrom('avatars').where('user_id', '=', userId).execute();
}

export async function avatarBytes(tx: GlobalDb, id: string): Promise<Buffer | null> {
  const row = await tx.db.selectFrom('avatars').select('bytes').where('id', '=', id).executeTakeFirst();
  return row?.bytes ?? null;
}
