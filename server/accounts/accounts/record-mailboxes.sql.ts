import { sql } from 'kysely';
import type { RecordMailboxes } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';

export interface SiteMailboxes {
  id: string;
  name: string;
  organization_id: string;
  record_mailboxes: RecordMailboxes;
}

export async function mailboxesOfSite(tx: GlobalDb, siteId: string): Promise<SiteMailboxes | undefined> {
  return tx.db
    .selectFrom('sites')
    .select(['id', 'name', 'organization_id', 'record_mailboxes'])
    .where('id', '=', siteId)
    .executeTakeFirst();
}

/** Keys of the proven emails of an organization's members. */
export async function provenMailboxes(tx: GlobalDb, organizationId: string): Promise<string[]> {
  const members = await tx.db
    .selectFrom('members')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .execute();
  if (members.length === 0) return [];
  const users = await tx.db
    .selectFrom('users')
    .select('email_key')
    .where(
      'id',
      'in',
      members.map(({ user_id }) => user_id),
    )
    .where('email_proven_at', 'is not', null)
    .execute();
  return users.map(({ email_key }) => email_key);
}

/** @returns whether the site exists */
export async function setMailbox(
  tx: GlobalDb,
  siteId: string,
  key: string,
  hasAgreed: boolean,
): Promise<boolean> {
  const change = JSON.stringify({ [key]: hasAgreed });
  const { numUpdatedRows } = await tx.db
    .updateTable('sites')
    .set({ record_mailboxes: sql`record_mailboxes || ${change}::jsonb` })
    .where('id', '=', siteId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
