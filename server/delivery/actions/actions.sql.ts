import type { Insertable, Selectable, Updateable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import { advisoryLock, type SiteDb } from '#server/platform/database.ts';

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
export type WaitingAction = MatchableAction &
  Pick<ActionRow, 'type' | 'operation' | 'integration_id' | 'target'>;

export async function enabledActions(site: SiteDb): Promise<WaitingAction[]> {
  return site.db
    .selectFrom('actions')
    .select(['id', 'type', 'operation', 'event', 'list_ids', 'integration_id', 'target'])
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

/** For those who read a site's actions before they add some. Taken after `lockLists` by those who need both. */
export async function lockActions(site: SiteDb): Promise<void> {
  await advisoryLock(site, `actions:${site.id}`);
}

export async function insertActions(
  site: SiteDb,
  actions: readonly Omit<Insertable<TenantTables['actions']>, 'site_id'>[],
): Promise<ActionRow[]> {
  return site.db
    .insertInto('actions')
    .values(actions.map((action) => ({ ...action, site_id: site.id })))
    .returningAll()
    .execute();
}

/** @param unchangedSince changes nothing if somebody has changed it since */
export async function updateAction(
  site: SiteDb,
  id: string,
  changes: Updateable<Omit<TenantTables['actions'], 'site_id'>>,
  unchangedSince?: Date,
): Promise<ActionRow | undefined> {
  let update = site.db
    .updateTable('actions')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('deleted_at', 'is', null);
  if (unchangedSince !== undefined) update = update.where('updated_at', '=', unchangedSince);
  return update.returningAll().executeTakeFirst();
}
