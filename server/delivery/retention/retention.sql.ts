import { type Selectable, sql } from 'kysely';
import type { GlobalTables, TenantTables } from '#db/tables.ts';
import { sitesWithout } from '#server/accounts/sites/sites.ts';
import type { GlobalDb, SiteDb, Statement } from '#server/platform/database.ts';

export type RetentionRow = Selectable<GlobalTables['retention_tasks']>;

/** @param slice.before the first id of what is too young */
export async function deliveriesAfter(
  site: SiteDb,
  { after, before, limit }: { after: string | null; before: string; limit: number },
): Promise<Pick<Selectable<TenantTables['deliveries']>, 'id' | 'status' | 'finished_at'>[]> {
  let select = site.db
    .selectFrom('deliveries')
    .select(['id', 'status', 'finished_at'])
    .where('site_id', '=', site.id)
    .where('id', '<', before)
    .orderBy('id')
    .limit(limit);
  if (after !== null) select = select.where('id', '>', after);
  return select.execute();
}

/** A delivery that arrived late, by when it did. */
export interface LateArrival {
  id: string;
  finished_at: Date;
}

/** Those that arrived more than an hour after they were made, in the order in which they did. */
export async function lateArrivalsAfter(
  site: SiteDb,
  { after, before, limit }: { after: LateArrival | null; before: Date; limit: number },
): Promise<LateArrival[]> {
  let select = site.db
    .selectFrom('deliveries')
    .select(['id', 'finished_at'])
    .$narrowType<{ finished_at: Date }>()
    .where('site_id', '=', site.id)
    // Written out: the index is found by it only so.
    .where(sql<boolean>`status = 'arrived' and finished_at - created_at > interval '1 hour'`)
    .where('finished_at', '<', before)
    .orderBy('finished_at')
    .orderBy('id')
    .limit(limit);
  if (after !== null) {
    select = select.where(sql<boolean>`(finished_at, id) > (${after.finished_at}, ${after.id}::uuid)`);
  }
  return select.execute();
}

type AttemptKey = Pick<Selectable<TenantTables['delivery_attempts']>, 'delivery_id' | 'number'>;

/** The first attempts of these deliveries that still have content, in one order for all who lock several. */
export async function lockAttemptsWithContent(
  site: SiteDb,
  deliveryIds: readonly string[],
  { before, limit }: { before: Date; limit: number },
): Promise<AttemptKey[]> {
  return site.db
    .selectFrom('delivery_attempts')
    .select(['delivery_id', 'number'])
    .where('site_id', '=', site.id)
    .where(sql<boolean>`delivery_id = any(${[...deliveryIds]}::uuid[])`)
    .where('started_at', '<', before)
    .where('content_deleted_at', 'is', null)
    .orderBy('delivery_id')
    .orderBy('number')
    .limit(limit)
    .forNoKeyUpdate()
    .execute();
}

/**
 * Which tool or host was called, and how, says nothing about the customer; the rest of the address may. Computed from
 * the row as it is then, because an erasure may have emptied it. Citus takes immutable functions alone here.
 */
const REQUEST_WITHOUT_CONTENT = sql<string>`jsonb_object(array[
    'method', request ->> 'method',
    'url', regexp_replace(request ->> 'url', '^(https?://)([^/?#]*@)?([^/?#]*).*$', '\\1\\3'),
    'body', ''
  ]) || '{"headers": {}}'::jsonb`;

/** Deletes the content of attempts of these deliveries, up to the last of those that were locked. */
export function deleteContent(
  site: SiteDb,
  deliveryIds: readonly string[],
  { upTo, before, now }: { upTo: AttemptKey; before: Date; now: Date },
): Statement {
  return site.db
    .updateTable('delivery_attempts')
    .set({
      request: REQUEST_WITHOUT_CONTENT,
      response: sql<string>`jsonb_set(response, '{body}', '""')`,
      error: null,
      content_deleted_at: now,
    })
    .where('site_id', '=', site.id)
    .where(sql<boolean>`delivery_id = any(${[...deliveryIds]}::uuid[])`)
    .where(sql<boolean>`(delivery_id, number) <= (${upTo.delivery_id}::uuid, ${upTo.number}::int)`)
    .where('started_at', '<', before)
    .where('content_deleted_at', 'is', null)
    .compile();
}

export async function sitesWithoutRetention(global: GlobalDb, limit: number): Promise<string[]> {
  return sitesWithout(global, limit, (siteIds) =>
    global.db
      .selectFrom('retention_tasks')
      .select('site_id')
      .where(sql<boolean>`site_id = any(${[...siteIds]}::uuid[])`)
      .execute(),
  );
}

/** @param rounds at least one */
export async function insertRetention(
  global: GlobalDb,
  rounds: readonly { site_id: string; due_at: Date }[],
): Promise<void> {
  await global.db
    .insertInto('retention_tasks')
    .values([...rounds])
    .onConflict((conflict) => conflict.columns(['site_id']).doNothing())
    .execute();
}

/** Takes the one that waits longest, for this process only until `until`; undefined when none is due. */
export async function claimDueRetention(
  tx: GlobalDb,
  { now, until, lease }: { now: Date; until: Date; lease: string },
): Promise<RetentionRow | undefined> {
  const due = await tx.db
    .selectFrom('retention_tasks')
    .select('site_id')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (due === undefined) return undefined;
  return tx.db
    .updateTable('retention_tasks')
    .set({ due_at: until, lease })
    .where('site_id', '=', due.site_id)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Changes a claim while it is still the process's own.
 * @returns whether it still is
 */
export async function updateRetention(
  global: GlobalDb,
  { site_id, lease }: Pick<RetentionRow, 'site_id' | 'lease'>,
  changes: Partial<RetentionRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await global.db
    .updateTable('retention_tasks')
    .set(changes)
    .where('site_id', '=', site_id)
    .where('lease', '=', lease)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes those that are due after `latest` due now. */
export async function pullBackRetention(
  global: GlobalDb,
  { latest, now }: { latest: Date; now: Date },
): Promise<void> {
  await global.db.updateTable('retention_tasks').set({ due_at: now }).where('due_at', '>', latest).execute();
}
