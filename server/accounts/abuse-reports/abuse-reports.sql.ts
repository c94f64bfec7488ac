import type { Insertable, Selectable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type ReportRow = Selectable<TenantTables['abuse_reports']>;

export async function insertReport(
  site: SiteDb,
  report: Omit<Insertable<TenantTables['abuse_reports']>, 'site_id'>,
): Promise<void> {
  await site.db
    .insertInto('abuse_reports')
    .values({ ...report, site_id: site.id })
    .execute();
}

export async function findReport(site: SiteDb, id: string): Promise<ReportRow | undefined> {
  return site.db
    .selectFrom('abuse_reports')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Oldest first. */
export async function openReports(site: SiteDb): Promise<ReportRow[]> {
  return site.db
    .selectFrom('abuse_reports')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('closed_at', 'is', null)
    .orderBy('id')
    .execute();
}

/** @returns how many were open */
export async function closeReports(site: Pick<SiteDb, 'id' | 'db'>, now: Date): Promise<number> {
  const { numUpdatedRows } = await site.db
    .updateTable('abuse_reports')
    .set({ closed_at: now })
    .where('site_id', '=', site.id)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** @returns how many were deleted */
export async function forgetReports(site: SiteDb, before: Date): Promise<number> {
  const { numDeletedRows } = await site.db
    .deleteFrom('abuse_reports')
    .where('site_id', '=', site.id)
    .where('received_at', '<', before)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
