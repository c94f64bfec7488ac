import { sql } from 'kysely';
import type { GlobalDb } from '#server/platform/database.ts';

/** Does any organization of the account require a second factor of its members? */
export async function requiresSecondFactor(tx: GlobalDb, userId: string): Promise<boolean> {
  const memberships = await tx.db
    .selectFrom('members')
    .select('organization_id')
    .where('user_id', '=', userId)
    .execute();
  if (memberships.length === 0) return false;
  const ids = memberships.map(({ organization_id }) => organization_id);
  const row = await tx.db
    .selectFrom('organizations')
    .select('id')
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('requires_second_factor', '=', true)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns false when it was so already */
export async function setRequired(
  tx: GlobalDb,
  organizationId: string,
  isRequired: boolean,
): Promise<boolean> {
  const row = await tx.db
    .updateTable('organizations')
    .set({ requires_second_factor: isRequired })
    .where('id', '=', organizationId)
    .where('requires_second_factor', '=', !isRequired)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
