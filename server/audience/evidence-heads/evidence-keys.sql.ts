import type { Insertable, Selectable } from 'kysely';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';

export type KeyRow = Selectable<GlobalTables['evidence_keys']>;

type Endorsement = Selectable<GlobalTables['evidence_key_endorsements']>;

/** Oldest first. */
export async function allKeys(global: Pick<GlobalDb, 'db'>): Promise<KeyRow[]> {
  return global.db.selectFrom('evidence_keys').selectAll().orderBy('created_at').orderBy('kid').execute();
}

export async function insertKey(
  global: Pick<GlobalDb, 'db'>,
  key: Insertable<GlobalTables['evidence_keys']>,
): Promise<void> {
  await global.db
    .insertInto('evidence_keys')
    .values(key)
    .onConflict((conflict) => conflict.columns(['kid']).doNothing())
    .execute();
}

export async function allEndorsements(global: Pick<GlobalDb, 'db'>): Promise<Endorsement[]> {
  return global.db.selectFrom('evidence_key_endorsements').selectAll().execute();
}

/** All of them or none. @param endorsements at least one */
export async function insertEndorsements(
  global: Pick<GlobalDb, 'db'>,
  endorsements: readonly Endorsement[],
): Promise<void> {
  await global.db
    .insertInto('evidence_key_endorsements')
    .values([...endorsements])
    .onConflict((conflict) => conflict.columns(['kid', 'mac']).doNothing())
    .execute();
}
