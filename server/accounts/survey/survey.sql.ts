import type { Selectable } from 'kysely';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';

/** What an account answered, the first answers first. */
export async function surveysOf(
  tx: GlobalDb,
  userId: string,
): Promise<Pick<Selectable<GlobalTables['surveys']>, 'id' | 'version' | 'data' | 'created_at'>[]> {
  return tx.db
    .selectFrom('surveys')
    .select(['id', 'version', 'data', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
}
