import type { Insertable, Selectable, Updateable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type IntegrationRow = Selectable<TenantTables['integrations']>;

export async function allIntegrations(site: SiteDb): Promise<IntegrationRow[]> {
  return site.db
    .selectFrom('integrations')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
}

export async function findIntegration(site: SiteDb, id: string): Promise<IntegrationRow | undefined> {
  return site.db
    .selectFrom('integrations')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Serializes changes of its counters. */
export async function lockIntegration(site: SiteDb, id: string): Promise<IntegrationRow | undefined> {
  return site.db
    .selectFrom('integrations')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/** Half-open circuit: of all callers that find the waiting time over, one may probe. */
export async function claimHalfOpenProbe(
  site: SiteDb,
  id: string,
  { until, next }: { until: Date; next: Date },
): Promise<boolean> {
  const row = await site.db
    .updateTable('integrations')
    .set({ rests_until: next })
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('rests_until', '=', until)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertIntegration(
  site: SiteDb,
  integration: Omit<Insertable<TenantTables['integrations']>, 'site_id'>,
): Promise<IntegrationRow> {
  return site.db
    .insertInto('integrations')
    .values({ ...integration, site_id: site.id })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateIntegration(
  site: SiteDb,
  id: string,
  changes: Updateable<Omit<TenantTables['integrations'], 'site_id'>>,
): Promise<IntegrationRow | undefined> {
  return site.db
    .updateTable('integrations')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Number of actions that use it. */
export async function countActionsOf(site: SiteDb, integrationId: string): Promise<number> {
  const row = await site.db
    .selectFrom('actions')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
