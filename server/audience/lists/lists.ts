import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import {
  isUnconfirmedDefault,
  type List,
  LIST_DEFAULTS,
  type ListChanges,
  type ListFields,
  listFieldsIn,
  MAX_LISTS_OF_SITE,
  type NewList,
  type ShownList,
  type updateList as updateListRoute,
} from '#contract/lists.ts';
import type { Override } from '#contract/page-checks.ts';
import { lastNameOf, recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { changeSite } from '#server/accounts/sites/change-site.ts';
import { deleteSubscriberCounters } from '#server/audience/counters/counters.sql.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import * as statements from './lists.sql.ts';
import type { ListRow } from './lists.sql.ts';

export type { ListRow } from './lists.sql.ts';
export { allLists, lockLists } from './lists.sql.ts';

/** As a page shows it. */
export function presentShownList(row: ListRow): ShownList {
  const { id, show_order, default_state: subscription_default_state } = row;
  return { id, ...listFieldsIn({ ...row, subscription_default_state }), show_order };
}

function presentList(row: ListRow): List {
  return { ...presentShownList(row), updated_at: row.updated_at.toISOString() };
}

const CHANGED_MEANWHILE = () =>
  new AppError(
    'conflict',
    'updated_at: someone else changed this list in the meantime. Read it again, then repeat your changes.',
    { field: 'updated_at' },
  );

type ListColumns = Omit<ListFields, 'subscription_default_state' | 'translations'> & {
  default_state: boolean;
  translations: string;
};

function columnsOf(said: ListFields): ListColumns;
function columnsOf(said: ListChanges): Partial<ListColumns>;
function columnsOf(said: ListChanges): Partial<ListColumns> {
  const { subscription_default_state: defaultState, translations, ...same } = listFieldsIn(said);
  return {
    ...same,
    ...(defaultState === undefined ? {} : { default_state: defaultState }),
    ...(translations === undefined ? {} : { translations: JSON.stringify(translations) }),
  };
}

export async function listLists(services: Services, siteId: string): Promise<List[]> {
  const rows = await services.database.readSite(siteId, statements.allLists);
  return rows.map(presentList);
}

/** null if the site doesn't have it (any more) */
export async function findList(services: Services, siteId: string, id: string): Promise<List | null> {
  const row = await services.database.readSite(siteId, (site) => statements.findList(site, id));
  return row === undefined ? null : presentList(row);
}

export async function getList(services: Services, siteId: string, id: string): Promise<List> {
  const list = await findList(services, siteId, id);
  if (list === null) throw notFound('This list');
  return list;
}

/** What a deleted list was called; empty if nobody wrote it down. */
export async function nameOfDeletedList(services: Services, siteId: string, id: string): Promise<string> {
  const name = await services.database.readSite(siteId, (site) => lastNameOf(site, 'list.deleted', id));
  return name ?? '';
}

/** @throws AppError `invalid_field` if the list is on before people could confirm it */
export function refuseUnconfirmedDefault(list: Parameters<typeof isUnconfirmedDefault>[0], path = ''): void {
  if (!isUnconfirmedDefault(list)) return;
  const field = `${path}subscription_default_state`;
  throw invalidField(
    field,
    `${field}: can't be on with double_opt_in, which subscribes people only once they confirm. Turn one of them off.`,
  );
}

/** Adds lists at the end of the site's order, inside the caller's transaction. */
export async function addLists(site: SiteDb, now: Date, lists: readonly NewList[]): Promise<ListRow[]> {
  if (lists.length === 0) return [];
  await statements.lockLists(site);
  const known = await statements.allLists(site);
  if (known.length + lists.length > MAX_LISTS_OF_SITE) {
    throw new AppError('limit_reached', `A site can have up to ${MAX_LISTS_OF_SITE} lists.`);
  }
  const last = Math.max(-1, ...known.map((list) => list.show_order));
  const added: ListRow[] = [];
  for (const [index, list] of lists.entries()) {
    const whole = { ...LIST_DEFAULTS, ...list };
    refuseUnconfirmedDefault(whole);
    added.push(
      await statements.insertList(site, {
        id: newId(),
        ...columnsOf(whole),
        show_order: last + 1 + index,
        created_at: now,
        updated_at: now,
      }),
    );
  }
  return added;
}

/** Whether the list already is as the changes say. */
export function isAsSaid(list: ShownList, changes: ListChanges): boolean {
  return isDeepStrictEqual({ ...list, ...listFieldsIn(changes) }, list);
}

/** Changes a list inside the caller's transaction. */
export async function editList(site: SiteDb, now: Date, id: string, changes: ListChanges): Promise<ListRow> {
  const row = await statements.updateList(site, id, {
    ...columnsOf(changes),
    updated_at: now,
  });
  if (row === undefined) throw notFound('This list');
  refuseUnconfirmedDefault(presentShownList(row));
  return row;
}

export async function createList(services: Services, siteId: string, input: NewList): Promise<List> {
  const row = await changeSite(services, siteId, async (site) => {
    const [added] = await addLists(site, services.clock.now(), [input]);
    if (added === undefined) throw new Error('A list was to be added');
    await recordChange(services, site, 'list.created', added);
    return added;
  });
  return presentList(row);
}

/**
 * Holds a change of lists to the checks of the pages that show them, which a layer above knows.
 * @throws AppError `checks_failed` without an override
 */
export type CheckPages = <T>(
  services: Services,
  site: SiteDb,
  override: Override | undefined,
  change: () => Promise<T>,
) => Promise<T>;

async function requireUnchanged(site: SiteDb, id: string, updatedAt: string): Promise<void> {
  const list = await statements.findList(site, id);
  if (list !== undefined && list.updated_at.getTime() !== Date.parse(updatedAt)) throw CHANGED_MEANWHILE();
}

type ChangesToList = z.output<(typeof updateListRoute)['body']>;

/** @throws AppError `conflict` if `updated_at` is given and outdated */
export async function changeList(
  services: Services,
  siteId: string,
  id: string,
  { override, updated_at, ...changes }: ChangesToList,
  checkPages: CheckPages,
): Promise<List> {
  const row = await changeSite(services, siteId, async (site) => {
    // No page is published meanwhile.
    await statements.lockLists(site);
    if (updated_at !== undefined) await requireUnchanged(site, id, updated_at);
    return checkPages(services, site, override, async () => {
      const changed = await editList(site, services.clock.now(), id, changes);
      await recordChange(services, site, 'list.changed', changed);
      return changed;
    });
  });
  return presentList(row);
}

export async function removeList(services: Services, siteId: string, id: string): Promise<void> {
  await changeSite(services, siteId, async (site) => {
    await statements.lockLists(site);
    const list = await statements.findList(site, id);
    if (list === undefined || !(await statements.deleteList(site, id))) throw notFound('This list');
    await recordChange(services, site, 'list.deleted', list);
    await deleteSubscriberCounters(site, id);
  });
}

/** @throws AppError `conflict` when `ids` are not exactly the site's lists */
export async function orderLists(
  services: Services,
  siteId: string,
  ids: readonly string[],
): Promise<List[]> {
  return changeSite(services, siteId, async (site) => {
    await statements.lockLists(site);
    const known = await statements.allLists(site);
    const wanted = new Set(ids);
    if (
      wanted.size !== ids.length ||
      known.length !== wanted.size ||
      known.some((list) => !wanted.has(list.id))
    ) {
      throw new AppError(
        'conflict',
        "ids: must contain each of the site's lists once. Load the lists again.",
        {
          field: 'ids',
        },
      );
    }
    const isMoved = ids.some((id, position) => known[position]?.id !== id);
    for (const [position, id] of ids.entries()) {
      if (known.find((list) => list.id === id)?.show_order === position) continue;
      await statements.updateList(site, id, { show_order: position });
    }
    if (isMoved) await recordChange(services, site, 'list.reordered', {});
    return (await statements.allLists(site)).map(presentList);
  });
}
