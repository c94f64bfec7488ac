import { sql } from 'kysely';
import type { GlobalDb } from '#server/platform/database.ts';
import type { UserRow } from './accounts.sql.ts';

export async function accountsWithGroups(tx: GlobalDb): Promise<UserRow[]> {
  return tx.db
    .selectFrom('users')
    .selectAll()
    .where(sql<boolean>`cardinality(plan_groups) > 0`)
    .orderBy('email_key')
    .execute();
}

export async function organizationOf(tx: GlobalDb, id: string) {
  return tx.db
    .selectFrom('organizations')
    .select(['name', 'subscription', 'valid_until'])
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function setSubscription(
  tx: GlobalDb,
  organizationId: string,
  plan: { subscription: string | null; valid_until: Date | null },
): Promise<void> {
  await tx.db.updateTable('organizations').set(plan).where('id', '=', organizationId).execute();
}
