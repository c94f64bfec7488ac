import type { GlobalDb } from '#server/platform/database.ts';

export interface OrganizationFacts {
  id: string;
  name: string;
  subscription: string | null;
  valid_until: Date | null;
  created_at: Date;
}

export async function organizationsById(tx: GlobalDb, ids: readonly string[]): Promise<OrganizationFacts[]> {
  if (ids.length === 0) return [];
  return tx.db
    .selectFrom('organizations')
    .select(['id', 'name', 'subscription', 'valid_until', 'created_at'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
}

/** Blocks joining these organizations until the transaction ends. */
export async function lockOrganizations(tx: GlobalDb, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.db
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Shared lock: waits for a concurrent deletion mark, and holds one up until the transaction ends. */
export async function isOpenOrganization(tx: GlobalDb, id: string): Promise<boolean> {
  const row = await tx.db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', id)
    .where('deletion_requested_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Frees its name immediately. */
export async function markOrganizationDeleted(tx: GlobalDb, id: string, now: Date): Promise<void> {
  await tx.db
    .updateTable('organizations')
    .set({ deletion_requested_at: now, name: '', name_key: `closing:${id}` })
    .where('id', '=', id)
    .execute();
}

export async function organizationsToDelete(tx: GlobalDb): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('organizations')
    .select('id')
    .where('deletion_requested_at', 'is not', null)
    .orderBy('deletion_requested_at')
    .execute();
  return rows.map(({ id }) => id);
}

export async function deleteOrganization(tx: GlobalDb, id: string): Promise<void> {
  await tx.db
    .deleteFrom('organizations')
    .where('id', '=', id)
    .where('deletion_requested_at', 'is not', null)
    .execute();
}

/** Organizations not marked for deletion, in slices by id. */
export async function openOrganizationIdsAfter(
  tx: GlobalDb,
  after: string | null,
  limit: number,
  madeBefore?: Date,
): Promise<string[]> {
  let select = tx.db
    .selectFrom('organizations')
    .select('id')
    .where('deletion_requested_at', 'is', null)
    .orderBy('id')
    .limit(limit);
  if (after !== null) select = select.where('id', '>', after);
  if (madeBefore !== undefined) select = select.where('created_at', '<', madeBefore);
  return (await select.execute()).map(({ id }) => id);
}
