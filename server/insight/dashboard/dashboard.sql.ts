import { sql } from 'kysely';
import type { ChoiceEvent, ChoiceSource, Evidence } from '#contract/choices.ts';
import { UNSENT_LOOKED_AT } from '#contract/dashboard.ts';
import { type DeliveryStatus, FAILURE_CAUSES } from '#contract/deliveries.ts';
import type { KeptOutcome } from '#db/tables.ts';
import { CHOSE_SOMETHING, IS_ARRIVAL, isUndone } from '#server/audience/arrivals/arrivals.ts';
import { NEEDS_SENDING } from '#server/audience/counters/counters.ts';
import { IS_HELD, IS_TEST } from '#server/delivery/deliveries/deliveries.ts';
import type { SiteDb } from '#server/platform/database.ts';

/*
 * Whole days come from the counters. Every statement here walks one index by a range of ids, which is a range of
 * time, and reads as few rows beside it as it can. Statuses are written out: an index of the open ones is found by
 * them only so. What test customers left behind is counted on its own and taken off, because those indexes do not
 * have it.
 */

export interface IdRange {
  from: string;
  until: string;
}

/** Customers in a range of ids, without erased ones. */
export async function countCustomers(site: SiteDb, { from, until }: IdRange): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from customers
    where site_id = ${site.id} and id >= ${from} and id < ${until}
    and erased_at is null and merged_into is null`.execute(site.db);
  return Number(rows[0]?.count);
}

/** Without those of tests, without records that a customer only came, and without what was undone in bulk. */
export async function countChoices(site: SiteDb, { from, until }: IdRange): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) - (
      select count(*) from choices as tests
      where tests.site_id = ${site.id} and tests.id >= ${from} and tests.id < ${until} and tests.is_test
    ) - (
      select count(*) from choices
      where site_id = ${site.id} and id >= ${from} and id < ${until} and ${IS_ARRIVAL}
    ) - (
      select count(*) from choices
      where site_id = ${site.id} and id >= ${from} and id < ${until} and ${isUndone(site.id)}
        and is_test is null and ${CHOSE_SOMETHING}
    ) as count
    from choices where site_id = ${site.id} and id >= ${from} and id < ${until}`.execute(site.db);
  return Number(rows[0]?.count);
}

export interface NewestChoice {
  id: string;
  is_unsent: boolean;
  events: ChoiceEvent[];
  /** null: it was sent. */
  lists: Evidence['lists'] | null;
}

/** The newest choices, with those that no action sent, though they changed something and no tool reported them. */
export async function newestChoices(site: SiteDb, since: string): Promise<NewestChoice[]> {
  const { rows } = await sql<NewestChoice>`
    select id, is_unsent, events, case when is_unsent then lists end as lists from (
      select choices.id, events, lists, (
        sent.choice_id is null and is_test is null and ${CHOSE_SOMETHING} and ${NEEDS_SENDING}
        and not ${isUndone(site.id)}
      ) as is_unsent
      from (
        select site_id, id, customer_id, sequence, source, events, lists, shown, replaced, is_test from choices
        where site_id = ${site.id} and id >= ${since}
        order by id desc limit ${UNSENT_LOOKED_AT}
      ) as choices
      -- Of each of these alone: without the limit, all deliveries of the site may be read instead.
      left join lateral (
        select choice_id from deliveries where site_id = ${site.id} and choice_id = choices.id limit 1
      ) as sent on true
    ) as newest`.execute(site.db);
  return rows;
}

/** Whether a customer made a choice in one of these ways. */
export async function hasChoiceFrom(
  site: SiteDb,
  customerId: string,
  sources: readonly ChoiceSource[],
): Promise<boolean> {
  const found = await site.db
    .selectFrom('choices')
    .select('id')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('source', 'in', sources)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** How the newest choices of a site were made. */
export async function newestSources(site: SiteDb, count: number): Promise<ChoiceSource[]> {
  const rows = await site.db
    .selectFrom('choices')
    .select('source')
    .where('site_id', '=', site.id)
    .orderBy('id', 'desc')
    .limit(count)
    .execute();
  return rows.map(({ source }) => source);
}

/** Counts open deliveries. @param lateBefore older ones count as late */
export async function countOpenDeliveries(
  site: SiteDb,
  { since, lateBefore }: { since: string; lateBefore: string },
): Promise<{ waiting: number; failed: number; late: number; older_failed: number }> {
  const { rows } = await sql<Record<'waiting' | 'failed' | 'late' | 'older_failed', string>>`
    select count(*) filter (where status = 'waiting') as waiting,
      count(*) filter (where status = 'failed') as failed,
      (
        select count(*) from deliveries
        where site_id = ${site.id} and status <> 'arrived' and status = 'failed' and id < ${since}
      ) as older_failed,
      count(*) filter (where id < ${lateBefore}) - (
        select count(*) from deliveries
        where site_id = ${site.id} and id >= ${since} and id < ${lateBefore} and ${IS_HELD}
      ) as late
    from deliveries
    where site_id = ${site.id} and status <> 'arrived' and id >= ${since}`.execute(site.db);
  const [row] = rows;
  return {
    waiting: Number(row?.waiting),
    failed: Number(row?.failed),
    late: Number(row?.late),
    older_failed: Number(row?.older_failed),
  };
}

/** Waiting deliveries of each action, of any age. */
export async function waitingByAction(site: SiteDb): Promise<{ action_id: string; count: number }[]> {
  const { rows } = await sql<{ action_id: string; count: string }>`
    select action_id, count(*) as count from deliveries
    where site_id = ${site.id} and status <> 'arrived' and status = 'waiting'
    group by action_id`.execute(site.db);
  return rows.map(({ action_id, count }) => ({ action_id, count: Number(count) }));
}

/** How many to read for the last arrival, because an older delivery may arrive later. */
const NEWEST_ARRIVED = 50;

export async function lastArrivals(
  site: SiteDb,
  actionIds: readonly string[],
): Promise<{ action_id: string; at: Date | null }[]> {
  if (actionIds.length === 0) return [];
  const { rows } = await sql<{ action_id: string; at: Date | null }>`
    select wanted.action_id, (
      select max(newest.finished_at) from (
        select finished_at from deliveries
        where site_id = ${site.id} and action_id = wanted.action_id and status = 'arrived'
          and outcome is distinct from 'test'
        order by id desc limit ${NEWEST_ARRIVED}
      ) as newest
    ) as at
    from unnest(${[...actionIds]}::uuid[]) as wanted (action_id)`.execute(site.db);
  return rows;
}

export async function deliveriesByAction(
  site: SiteDb,
  actionIds: readonly string[],
  since: string,
): Promise<{ action_id: string; status: DeliveryStatus; count: number }[]> {
  if (actionIds.length === 0) return [];
  const { rows } = await sql<{ action_id: string; status: DeliveryStatus; count: string }>`
    select action_id, status, count(*) as count from deliveries
    where site_id = ${site.id} and action_id = any(${[...actionIds]}::uuid[]) and id >= ${since}
    group by 1, 2`.execute(site.db);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

/** Waiting deliveries whose last attempt failed. */
export async function retryingByAction(
  site: SiteDb,
  since: string,
): Promise<{ action_id: string; count: number }[]> {
  const { rows } = await sql<{ action_id: string; count: string }>`
    select action_id, count(*) as count from deliveries
    where site_id = ${site.id} and status <> 'arrived' and status = 'waiting' and id >= ${since}
      and outcome in (${sql.join(FAILURE_CAUSES)})
    group by action_id`.execute(site.db);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

/** Deliveries of test customers, which count as arrived in all others. */
export async function testsByAction(
  site: SiteDb,
  since: string,
): Promise<{ action_id: string; count: number }[]> {
  const { rows } = await sql<{ action_id: string; count: string }>`
    select action_id, count(*) as count from deliveries
    where site_id = ${site.id} and id >= ${since} and ${IS_TEST}
    group by 1`.execute(site.db);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

export interface LastDelivery {
  action_id: string;
  id: string;
  status: DeliveryStatus;
  outcome: KeptOutcome | null;
  confirmed_at: Date | null;
  created_at: Date;
}

export async function lastDeliveries(site: SiteDb, actionIds: readonly string[]): Promise<LastDelivery[]> {
  if (actionIds.length === 0) return [];
  const { rows } = await sql<LastDelivery>`
    select wanted.action_id, last.id, last.status, last.outcome, last.confirmed_at, last.created_at
    from unnest(${[...actionIds]}::uuid[]) as wanted (action_id)
    cross join lateral (
      select id, status, outcome, confirmed_at, created_at from deliveries
      where site_id = ${site.id} and action_id = wanted.action_id and outcome is distinct from 'test'
      order by id desc limit 1
    ) as last`.execute(site.db);
  return rows;
}

export async function movesByList(
  site: SiteDb,
  { from, until }: IdRange,
): Promise<{ list_id: string; joins: number; leaves: number }[]> {
  const { rows } = await sql<{ list_id: string; joins: string; leaves: string }>`
    select list_id, count(*) filter (where joined) as joins, count(*) filter (where not joined) as leaves
    from subscription_changes where site_id = ${site.id} and choice_id >= ${from} and choice_id < ${until}
    group by 1`.execute(site.db);
  return rows.map(({ list_id, joins, leaves }) => ({
    list_id,
    joins: Number(joins),
    leaves: Number(leaves),
  }));
}

/** The newest choices that left lists, with how many: without those of tests. */
export async function newestLeaves(
  site: SiteDb,
  since: string,
  most: number,
): Promise<{ choice_id: string; leaves: number }[]> {
  const { rows } = await sql<{ choice_id: string; leaves: string }>`
    select choice_id, count(*) as leaves from subscription_changes
    where site_id = ${site.id} and joined = false and choice_id >= ${since}
    group by choice_id order by choice_id desc limit ${sql.lit(most)}`.execute(site.db);
  return rows.map((row) => ({ ...row, leaves: Number(row.leaves) }));
}
