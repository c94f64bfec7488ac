import type { Insertable, Selectable, Updateable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type ActionRow = Selectable<TenantTables['actions']>;

export async function allActions(site: SiteDb): Promise<ActionRow[]> {
  return site.db
    .selectFrom('actions')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
}

export type MatchableAction = Pick<ActionRow, 'id' | 'event' | 'list_ids'>;

/** What a choice needs to know of an action. */
export type WaitingAction = MatchableAction & Pick<ActionRow, 'integration_id' | 'target'>;

export async function enabledActions(site: SiteDb): Promise<WaitingAction[]> {
  return site.db
    .selectFrom('actions')
    .select(['id', 'event', 'list_ids', 'integration_id', 'target'])
    .where('site_id', '=', site.id)
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    .execute();
}

export async function findAction(site: SiteDb, id: string): Promise<ActionRow | undefined> {
  return site.db
    .selectFrom('actions')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

export async function insertAction(
  site: SiteDb,
  action: Omit<Insertable<TenantTables['actions']>, 'site_id'>,
): Promise<ActionRow> {
  return site.db
    .insertInto('actions')
    .values({ ...action, site_id: site.id })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateAction(
  site: SiteDb,
  id: string,
  changes: Updateable<Omit<TenantTables['actions'], 'site_id'>>,
): Promise<ActionRow | undefined> {
  return site.db
    .updateTable('actions')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}
