import type { GlobalDb } from '#server/platform/database.ts';
import { nameKey } from './account-names.ts';
import { findUser, findUserByEmail, type UserRow } from './users.sql.ts';

export { userIdsAfter } from './users.sql.ts';

/** undefined: deleted */
export async function accountOf(tx: GlobalDb, id: string): Promise<UserRow | undefined> {
  return findUser(tx, id);
}

export async function findAccountByEmail(tx: GlobalDb, email: string): Promise<UserRow | undefined> {
  return findUserByEmail(tx, nameKey(email));
}
