import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';

export type UserRow = Selectable<GlobalTables['users']>;

export async function insertUser(tx: GlobalDb, user: Insertable<GlobalTables['users']>): Promise<UserRow> {
  return tx.db.insertInto('users').values(user).returningAll().executeTakeFirstOrThrow();
}

export async function findUser(tx: GlobalDb, id: string): Promise<UserRow | undefined> {
  return tx.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findUserByLogin(tx: GlobalDb, key: string): Promise<UserRow | undefined> {
  const column = key.includes('@') ? 'email_key' : 'username_key';
  return tx.db.selectFrom('users').selectAll().where(column, '=', key).executeTakeFirst();
}

export async function findUserByEmail(tx: GlobalDb, emailKey: string): Promise<UserRow | undefined> {
  return tx.db.selectFrom('users').selectAll().where('email_key', '=', emailKey).executeTakeFirst();
}

/** Accounts with a plan or any other group. */
export async function accountsWithGroups(tx: GlobalDb): Promise<UserRow[]> {
  return tx.db
    .selectFrom('users')
    .selectAll()
    .where(sql<boolean>`cardinality(plan_groups) > 0`)
    .orderBy('email_key')
    .execute();
}

/** A Google account is identified by issuer and subject, never by address. */
export async function findUserByGoogle(
  tx: GlobalDb,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<UserRow | undefined> {
  return tx.db
    .selectFrom('users')
    .selectAll()
    .where('google_issuer', '=', issuer)
    .where('google_subject', '=', subject)
    .executeTakeFirst();
}

export async function takenKeys(
  tx: GlobalDb,
  keys: { username_key: string; email_key: string },
): Promise<{ username: boolean; email: boolean }> {
  const rows = await tx.db
    .selectFrom('users')
    .select(['username_key', 'email_key'])
    .where((eb) => eb.or([eb('username_key', '=', keys.username_key), eb('email_key', '=', keys.email_key)]))
    .execute();
  return {
    username: rows.some((row) => row.username_key === keys.username_key),
    email: rows.some((row) => row.email_key === keys.email_key),
  };
}

export async function updateUser(
  tx: GlobalDb,
  id: string,
  changes: Updateable<GlobalTables['users']>,
): Promise<UserRow | undefined> {
  return tx.db.updateTable('users').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

export async function insertPasswordLink(
  tx: GlobalDb,
  link: Insertable<GlobalTables['password_links']>,
): Promise<void> {
  await tx.db.insertInto('password_links').values(link).execute();
}

/** The account of a password link; undefined if the link is unknown, used or expired. */
export async function findPasswordLink(
  tx: GlobalDb,
  tokenHash: Buffer,
  now: Date,
): Promise<{ user_id: string } | undefined> {
  return tx.db
    .selectFrom('password_links')
    .select('user_id')
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Marks the link as used; undefined when it is unknown, used or expired. */
export async function usePasswordLink(
  tx: GlobalDb,
  tokenHash: Buffer,
  now: Date,
): Promise<{ user_id: string } | undefined> {
  return tx.db
    .updateTable('password_links')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
}

export async function expirePasswordLinks(tx: GlobalDb, userId: string, now: Date): Promise<void> {
  await tx.db
    .updateTable('password_links')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute();
}

/** Emails of existing accounts by id. */
export async function emailsOfUsers(tx: GlobalDb, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.db.selectFrom('users').select(['id', 'email']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** Display names of existing accounts by id, with the username as fallback. */
export async function namesOfUsers(tx: GlobalDb, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.db
    .selectFrom('users')
    .select(['id', 'username', 'first_name', 'last_name'])
    .where('id', 'in', ids)
    .execute();
  return new Map(
    rows.map(({ id, username, first_name: first, last_name: last }) => [
      id,
      `${first} ${last}`.trim() || username,
    ]),
  );
}

/** Locks the account against changes and deletion until the transaction ends. */
export async function lockUser(tx: GlobalDb, id: string): Promise<UserRow | undefined> {
  return tx.db.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Cascades to sessions, links, memberships, survey answers and the avatar. */
export async function deleteUser(tx: GlobalDb, id: string): Promise<void> {
  await tx.db.deleteFrom('users').where('id', '=', id).execute();
}

/** All accounts, in slices by id. */
export async function userIdsAfter(
  tx: GlobalDb,
  after: string | null,
  limit: number,
  madeBefore?: Date,
): Promise<string[]> {
  let select = tx.db.selectFrom('users').select('id').orderBy('id').limit(limit);
  if (after !== null) select = select.where('id', '>', after);
  if (madeBefore !== undefined) select = select.where('created_at', '<', madeBefore);
  return (await select.execute()).map(({ id }) => id);
}

/** @returns whether there may be more */
export async function deleteExpiredPasswordLinks(
  global: GlobalDb,
  before: Date,
  limit: number,
): Promise<boolean> {
  const { numDeletedRows } = await global.db
    .deleteFrom('password_links')
    .where('token_hash', 'in', (eb) =>
      eb.selectFrom('password_links').select('token_hash').where('expires_at', '<', before).limit(limit),
    )
    .executeTakeFirst();
  return numDeletedRows === BigInt(limit);
}
