import type { GlobalDb } from '#server/platform/database.ts';

/** Does any organization of the account require a second factor of its members? */
export async function requiresSecondFactor(tx: GlobalDb, userId: string): Promise<boolean> {
  const row = await tx.db
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.organization_id')
    .select('organizations.id')
    .where('members.user_id', '=', userId)
    .where('organizations.requires_second_factor', '=', true)
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
