import type { Selectable } from 'kysely';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';

/** An account's survey answers, oldest first. */
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
