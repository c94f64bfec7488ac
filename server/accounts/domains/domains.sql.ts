import type { Selectable, Updateable } from 'kysely';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';

export type DomainRow = Selectable<GlobalTables['site_domains']>;

export async function domainOfSite(tx: GlobalDb, siteId: string): Promise<DomainRow | undefined> {
  return tx.db.selectFrom('site_domains').selectAll().where('site_id', '=', siteId).executeTakeFirst();
}

export async function lockDomain(tx: GlobalDb, siteId: string): Promise<DomainRow | undefined> {
  return tx.db
    .selectFrom('site_domains')
    .selectAll()
    .where('site_id', '=', siteId)
    .forUpdate()
    .executeTakeFirst();
}

export async function insertDomain(tx: GlobalDb, siteId: string, host: string, now: Date): Promise<void> {
  await tx.db
    .insertInto('site_domains')
    .values({ site_id: siteId, host, created_at: now, next_check_at: now })
    .execute();
}

export async function updateDomain(
  tx: GlobalDb,
  siteId: string,
  fields: Updateable<GlobalTables['site_domains']>,
): Promise<void> {
  await tx.db.updateTable('site_domains').set(fields).where('site_id', '=', siteId).execute();
}

export async function deleteDomain(tx: GlobalDb, siteId: string): Promise<void> {
  await tx.db.deleteFrom('site_domains').where('site_id', '=', siteId).execute();
}

/** Claims some of the due domains by postponing their next check, so that no other worker takes them too. */
export async function claimDueDomains(
  tx: GlobalDb,
  now: Date,
  nextCheckAt: Date,
  limit: number,
): Promise<DomainRow[]> {
  const due = await tx.db
    .selectFrom('site_domains')
    .select('site_id')
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  if (due.length === 0) return [];
  return tx.db
    .updateTable('site_domains')
    .set({ next_check_at: nextCheckAt })
    .where(
      'site_id',
      'in',
      due.map((one) => one.site_id),
    )
    .returningAll()
    .execute();
}
