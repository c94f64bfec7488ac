import { type CompiledQuery, type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { MADE_FOR_CUSTOMERS } from '#contract/choices.ts';
import type { UndoVerdict } from '#contract/bulk-changes.ts';
import type { BulkChangeRecord, StoredUndoPlan, TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type UndoRow = Selectable<TenantTables['bulk_undos']>;
export type UndoCustomerRow = Selectable<TenantTables['bulk_undo_customers']>;

/** Choices that one maker made for customers, without a pause of ten minutes. */
export interface Burst {
  prefix: string;
  from_id: string;
  to_id: string;
  customers: number;
  started_at: Date;
  ended_at: Date;
}

/**
 * By tool, by repaired tool, and by team member or API key.
 * @param sinceId choices with smaller ids are left out
 * @param most how many of the newest choices are read; a burst that may have begun before them is left out
 */
export async function burstsSince(site: SiteDb, sinceId: string, most: number): Promise<Burst[]> {
  const { rows } = await sql<Burst>`
    with newest as materialized (
      select id, customer_id, occurred_at,
        substring(save_id from '^(?:tool|repair):[^:]+:|^edit:[^:]+:[^:]+:') as prefix
      from choices
      where site_id = ${site.id} and id >= ${sinceId} and replaced is not null
        and source in ('tool', 'owner', 'api')
      order by id desc limit ${most}
    ),
    spaced as (
      select *, occurred_at - lag(occurred_at) over (partition by prefix order by id) > interval '10 minutes' as begins
      from newest where prefix is not null
    ),
    numbered as (
      select *, count(*) filter (where begins) over (partition by prefix order by id) as burst from spaced
    )
    select prefix, min(id::text) as from_id, max(id::text) as to_id, count(distinct customer_id)::int as customers,
      min(occurred_at) as started_at, max(occurred_at) as ended_at
    from numbered
    group by prefix, burst
    having (select count(*) < ${most} from newest)
      or min(occurred_at) > (select min(occurred_at) from newest) + interval '10 minutes'`.execute(site.db);
  return rows;
}

export async function undosWithIds(site: SiteDb, ids: readonly string[]): Promise<UndoRow[]> {
  return site.db
    .selectFrom('bulk_undos')
    .selectAll()
    .where('site_id', '=', site.id)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
}

export async function findUndo(site: SiteDb, id: string): Promise<UndoRow | undefined> {
  return (await undosWithIds(site, [id]))[0];
}

export async function lockUndo(site: SiteDb, id: string): Promise<UndoRow | undefined> {
  return site.db
    .selectFrom('bulk_undos')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function insertUndo(
  site: SiteDb,
  row: Omit<Insertable<TenantTables['bulk_undos']>, 'site_id'>,
): Promise<UndoRow> {
  return site.db
    .insertInto('bulk_undos')
    .values({ ...row, site_id: site.id })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateUndo(
  site: SiteDb,
  id: string,
  changes: Updateable<Omit<TenantTables['bulk_undos'], 'site_id'>>,
): Promise<UndoRow> {
  return site.db
    .updateTable('bulk_undos')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @returns number of deleted rows; fewer than `most` when none are left */
export async function deleteSomeCustomers(site: SiteDb, undoId: string, most: number): Promise<number> {
  const some = await site.db
    .selectFrom('bulk_undo_customers')
    .select('customer_id')
    .where('site_id', '=', site.id)
    .where('undo_id', '=', undoId)
    .orderBy('customer_id')
    .limit(most)
    .execute();
  const last = some.at(-1);
  if (last === undefined) return 0;
  const result = await site.db
    .deleteFrom('bulk_undo_customers')
    .where('site_id', '=', site.id)
    .where('undo_id', '=', undoId)
    .where('customer_id', '<=', last.customer_id)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** The choices of a bulk change, by their ids. */
export async function choicesOfBulkChange(
  site: SiteDb,
  { prefix, from_id, to_id }: BulkChangeRecord,
  page: { after: string | null; limit: number },
): Promise<{ id: string; customer_id: string }[]> {
  let select = site.db
    .selectFrom('choices')
    .select(['id', 'customer_id'])
    .where('site_id', '=', site.id)
    .where('replaced', 'is not', null)
    .where('id', '>=', from_id)
    .where('id', '<=', to_id)
    .where(sql<boolean>`starts_with(save_id, ${prefix})`)
    .where('source', 'in', MADE_FOR_CUSTOMERS)
    .orderBy('id')
    .limit(page.limit);
  if (page.after !== null) select = select.where('id', '>', page.after);
  return select.execute();
}

export type PastChoiceRow = Pick<
  Selectable<TenantTables['choices']>,
  | 'id'
  | 'customer_id'
  | 'sequence'
  | 'source'
  | 'save_id'
  | 'events'
  | 'lists'
  | 'shown'
  | 'paused_until'
  | 'replaced'
>;

/** What these customers, or others for them, chose since then, in the order of each customer. */
export async function choicesSince(
  site: SiteDb,
  customerIds: readonly string[],
  sinceId: string,
): Promise<PastChoiceRow[]> {
  return site.db
    .selectFrom('choices')
    .select([
      'id',
      'customer_id',
      'sequence',
      'source',
      'save_id',
      'events',
      'lists',
      'shown',
      'paused_until',
      'replaced',
    ])
    .where('site_id', '=', site.id)
    .where(sql<boolean>`customer_id = any(${[...customerIds]}::uuid[])`)
    .where('id', '>=', sinceId)
    .orderBy('customer_id')
    .orderBy('sequence')
    .execute();
}

export type CustomerToUndo = Pick<
  Selectable<TenantTables['customers']>,
  | 'id'
  | 'email'
  | 'sequence'
  | 'global_unsubscribe'
  | 'paused_until'
  | 'wrong_recipient_at'
  | 'erased_at'
  | 'merged_into'
>;

export async function customersWithIds(site: SiteDb, ids: readonly string[]): Promise<CustomerToUndo[]> {
  return site.db
    .selectFrom('customers')
    .select([
      'id',
      'email',
      'sequence',
      'global_unsubscribe',
      'paused_until',
      'wrong_recipient_at',
      'erased_at',
      'merged_into',
    ])
    .where('site_id', '=', site.id)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
}

export async function subscriptionsWithTimes(
  site: SiteDb,
  ids: readonly string[],
): Promise<
  Pick<Selectable<TenantTables['subscriptions']>, 'customer_id' | 'list_id' | 'subscribed' | 'changed_at'>[]
> {
  return site.db
    .selectFrom('subscriptions')
    .select(['customer_id', 'list_id', 'subscribed', 'changed_at'])
    .where('site_id', '=', site.id)
    .where(sql<boolean>`customer_id = any(${[...ids]}::uuid[])`)
    .execute();
}

type Planned = { customer_id: string; verdict: UndoVerdict; plan: StoredUndoPlan; is_new: boolean };

/** @returns the customers that were not there yet */
export async function insertCustomers(
  site: SiteDb,
  undoId: string,
  rows: readonly Planned[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const { sql: text, parameters } = site.db
    .insertInto('bulk_undo_customers')
    .values(
      rows.map(({ plan, ...row }) => ({
        ...row,
        site_id: site.id,
        undo_id: undoId,
        plan: JSON.stringify(plan),
        choice_id: null,
        applied_at: null,
        deleted_at: null,
      })),
    )
    .onConflict((conflict) => conflict.columns(['site_id', 'undo_id', 'customer_id']).doNothing())
    .returning('customer_id')
    .compile();
  // Bypasses Kysely, which would keep every text as a prepared statement.
  const { rows: added } = await site.query(text, [...parameters]);
  return new Set((added as { customer_id: string }[]).map((row) => row.customer_id));
}

/** In the order of customers. */
export async function customersAfter(
  site: SiteDb,
  undoId: string,
  query: {
    after: string | null;
    limit: number;
    verdict?: UndoVerdict | undefined;
    /** applying: still to be done. deleting: created by the bulk change, and still there. */
    open?: 'applying' | 'deleting';
  },
): Promise<UndoCustomerRow[]> {
  let select = site.db
    .selectFrom('bulk_undo_customers')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('undo_id', '=', undoId)
    .orderBy('customer_id')
    .limit(query.limit);
  if (query.after !== null) select = select.where('customer_id', '>', query.after);
  if (query.verdict !== undefined) select = select.where('verdict', '=', query.verdict);
  if (query.open === 'applying') select = select.where('applied_at', 'is', null);
  if (query.open === 'deleting') select = select.where('is_new', '=', true).where('deleted_at', 'is', null);
  return select.execute();
}

export type AppliedCustomer = Planned & { choice_id: string | null };

/** What became of a customer, once. */
export function markApplied(site: SiteDb, undoId: string, row: AppliedCustomer, now: Date): CompiledQuery {
  return site.db
    .updateTable('bulk_undo_customers')
    .set({
      verdict: row.verdict,
      plan: JSON.stringify(row.plan),
      is_new: row.is_new,
      choice_id: row.choice_id,
      applied_at: now,
    })
    .where('site_id', '=', site.id)
    .where('undo_id', '=', undoId)
    .where('customer_id', '=', row.customer_id)
    .where('applied_at', 'is', null)
    .compile();
}

/** @param deletedAt null: the customer stays */
export async function markDeleted(
  site: SiteDb,
  undoId: string,
  customerId: string,
  deletedAt: Date | null,
): Promise<void> {
  await site.db
    .updateTable('bulk_undo_customers')
    .set(deletedAt === null ? { is_new: false } : { deleted_at: deletedAt })
    .where('site_id', '=', site.id)
    .where('undo_id', '=', undoId)
    .where('customer_id', '=', customerId)
    .execute();
}

export async function countCustomers(
  site: SiteDb,
  undoId: string,
): Promise<{ verdict: UndoVerdict; count: number; new_count: number; applied: number; deleted: number }[]> {
  const { rows } = await sql<{
    verdict: UndoVerdict;
    count: number;
    new_count: number;
    applied: number;
    deleted: number;
  }>`
    select verdict, count(*)::int as count, (count(*) filter (where is_new))::int as new_count,
      count(applied_at)::int as applied, count(deleted_at)::int as deleted
    from bulk_undo_customers
    where site_id = ${site.id} and undo_id = ${undoId}
    group by verdict`.execute(site.db);
  return rows;
}

/** Has somebody asked for something that waits for a click in an email? */
export async function hasPending(site: SiteDb, customerId: string): Promise<boolean> {
  const row = await site.db
    .selectFrom('pending_changes')
    .select('id')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The rows of an import that name customers who were deleted. */
export async function deleteImportRowsOf(site: SiteDb, customerId: string): Promise<void> {
  await site.db
    .deleteFrom('import_rows')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .execute();
}

/** @returns ids */
export async function choicesWithSequences(
  site: SiteDb,
  customerId: string,
  sequences: readonly number[],
): Promise<string[]> {
  const rows = await site.db
    .selectFrom('choices')
    .select('id')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where(sql<boolean>`sequence = any(${[...sequences]}::int[])`)
    .execute();
  return rows.map(({ id }) => id);
}

/** Who joined and left these lists by these choices, as the figures have it. */
export async function movesOfChoices(
  site: SiteDb,
  choiceIds: readonly string[],
  listIds: readonly string[],
): Promise<{ choice_id: string; list_id: string; joined: boolean }[]> {
  return site.db
    .selectFrom('subscription_changes')
    .select(['choice_id', 'list_id', 'joined'])
    .where('site_id', '=', site.id)
    .where(sql<boolean>`choice_id = any(${[...choiceIds]}::uuid[])`)
    .where(sql<boolean>`list_id = any(${[...listIds]}::uuid[])`)
    .execute();
}

export function deleteMoves(
  site: SiteDb,
  choiceIds: readonly string[],
  listIds: readonly string[],
): CompiledQuery {
  return site.db
    .deleteFrom('subscription_changes')
    .where('site_id', '=', site.id)
    .where(sql<boolean>`choice_id = any(${[...choiceIds]}::uuid[])`)
    .where(sql<boolean>`list_id = any(${[...listIds]}::uuid[])`)
    .compile();
}
