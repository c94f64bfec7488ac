import { sql } from 'kysely';
import type { ChoiceSource } from '#contract/choices.ts';
import type { TenantTables } from '#db/tables.ts';
import { CHOSE_SOMETHING, isUndone } from '#server/audience/arrivals/arrivals.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { insertStatements } from '#server/platform/row-statements.ts';

export type Metric = TenantTables['counters']['metric'];

/** The day of what is counted as it stands now, and not by time. */
export const NOW = 0;

/** Ten million customers take a minute or two. */
const COUNTS_WITHIN_MS = 20 * 60_000;

/** Stands for the list where a metric is about the site. */
export const OF_SITE = '00000000-0000-0000-0000-000000000000';

export const NEVER_SENT: readonly ChoiceSource[] = ['tool', 'merge', 'erasure'];

/** As `needsSending`. */
export const NEEDS_SENDING = sql<boolean>`(choices.events <> '{}' and choices.source not in (${sql.join(NEVER_SENT.map((source) => sql.lit(source)))}))`;

/** UTC days since 1970, the first included and the last not. */
export interface Days {
  from: number;
  until: number;
}

interface CounterRow {
  day: number;
  metric: Metric;
  list_id: string;
  slot: number;
  value: number;
}

export const addToCounters: (siteId: string, rows: readonly CounterRow[]) => Statement[] =
  insertStatements<CounterRow>(
    'counters',
    ['day', 'metric', 'list_id', 'slot', 'value'],
    `on conflict (site_id, day, metric, list_id, slot) do update set value = counters.value + excluded.value`,
  );

/** Those who are not erased. */
export async function countPresentCustomers(site: SiteDb): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select coalesce(sum(value), 0) as count from counters
    where site_id = ${site.id} and day = ${NOW} and metric = 'customers'`.execute(site.db);
  return Number(rows[0]?.count);
}

/** Who chose a list and receives it. */
export async function subscribersByList(site: SiteDb): Promise<{ list_id: string; count: number }[]> {
  const { rows } = await sql<{ list_id: string; count: string }>`
    select list_id, sum(value) as count from counters
    where site_id = ${site.id} and day = ${NOW} and metric = 'subscribers' group by 1`.execute(site.db);
  return rows.map(({ list_id, count }) => ({ list_id, count: Number(count) }));
}

export interface DailyCount {
  metric: Metric;
  list_id: string;
  /** From 0. */
  period: number;
  count: number;
}

/** What was counted by day, in periods of so many days. */
export async function countsByPeriod(
  site: SiteDb,
  { from, until }: Days,
  daysOfPeriod: number,
): Promise<DailyCount[]> {
  const { rows } = await sql<Omit<DailyCount, 'count'> & { count: string }>`
    select metric, list_id, (day - ${from}::int) / ${daysOfPeriod}::int as period, sum(value) as count
    from counters where site_id = ${site.id} and day >= ${from}::int and day < ${until}::int
    group by 1, 2, 3`.execute(site.db);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

export async function countDeliveries(site: SiteDb, { from, until }: Days): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select coalesce(sum(value), 0) as count from counters
    where site_id = ${site.id} and day >= ${from} and day < ${until} and metric = 'deliveries'`.execute(
    site.db,
  );
  return Number(rows[0]?.count);
}

/** What of days before this one lies in several slots comes into one; nobody adds to those days any more, or rarely. */
export async function takeSlotsBefore(
  site: SiteDb,
  day: number,
): Promise<{ day: number; metric: Metric; list_id: string; value: number }[]> {
  const { rows } = await sql<{ day: number; metric: Metric; list_id: string; value: string }>`
    delete from counters where site_id = ${site.id} and day > ${NOW} and day < ${day} and slot <> 0
    returning day, metric, list_id, value`.execute(site.db);
  return rows.map((row) => ({ ...row, value: Number(row.value) }));
}

export async function deleteSubscriberCounters(site: SiteDb, listId: string): Promise<void> {
  await site.db
    .deleteFrom('counters')
    .where('site_id', '=', site.id)
    .where('day', '=', NOW)
    .where('metric', '=', 'subscribers')
    .where('list_id', '=', listId)
    .execute();
}

/** A save that had read a list before its deletion counts for it afterwards. */
export async function deleteOrphanCounters(site: SiteDb): Promise<void> {
  await site.db
    .deleteFrom('counters')
    .where('site_id', '=', site.id)
    .where('day', '=', NOW)
    .where('metric', '=', 'subscribers')
    .where('list_id', 'not in', site.db.selectFrom('lists').select('id').where('site_id', '=', site.id))
    .execute();
}

/** The UTC day of a UUIDv7: its first 48 bits are milliseconds. */
const dayOf = (id: string) =>
  sql.raw<number>(
    `(('x0000' || substr(${id}::text, 1, 8) || substr(${id}::text, 10, 4))::bit(64)::bigint / 86400000)::int`,
  );

/**
 * What the counters lack of the rows that they count, or have too much. One statement sees one moment, in which both
 * stand as the same transactions left them.
 * @param since the first day whose rows are counted; `firstId` is the first id of that day
 */
export async function missingFromCounters(
  site: SiteDb,
  { day, firstId }: { day: number; firstId: string },
): Promise<{ day: number; metric: Metric; list_id: string; value: number }[]> {
  const ofSite = sql`${OF_SITE}::uuid`;
  const present = sql`customers.site_id = ${site.id} and erased_at is null and merged_into is null`;
  const counting = sql`
    with rows_now as (
      select 0 as day, 'customers' as metric, ${ofSite} as list_id, count(*) as value from customers where ${present}
      union all
      select ${dayOf('id')}, 'customers', ${ofSite}, count(*)
        from customers where ${present} and id >= ${firstId} group by 1
      union all
      select ${dayOf('id')}, 'choices', ${ofSite}, count(*)
        from choices where site_id = ${site.id} and id >= ${firstId} and is_test is null and ${CHOSE_SOMETHING}
          and not ${isUndone(site.id)}
        group by 1
      union all
      select ${dayOf('id')}, 'sent', ${ofSite}, count(*)
        from choices where site_id = ${site.id} and id >= ${firstId} and is_test is null and ${CHOSE_SOMETHING}
          and not ${isUndone(site.id)}
          and (not ${NEEDS_SENDING} or exists (
            select from deliveries where deliveries.site_id = ${site.id} and deliveries.site_id = choices.site_id
              and deliveries.choice_id = choices.id)) group by 1
      union all
      select ${dayOf('id')}, 'deliveries', ${ofSite}, count(*)
        from deliveries where site_id = ${site.id} and id >= ${firstId} and not exists (
          select from choices where choices.site_id = ${site.id} and choices.site_id = deliveries.site_id
            and choices.id = deliveries.choice_id and choices.is_test) group by 1
      union all
      select ${dayOf('choice_id')}, case when joined then 'joins' else 'leaves' end, list_id, count(*)
        from subscription_changes where site_id = ${site.id} and choice_id >= ${firstId} group by 1, 2, 3
      union all
      select 0, 'subscribers', list_id, count(*)
        from subscriptions
        join customers on customers.site_id = subscriptions.site_id and customers.id = subscriptions.customer_id
        where subscriptions.site_id = ${site.id} and ${present} and subscribed and not global_unsubscribe
        group by list_id
    ), counted as (
      select day, metric, list_id, sum(value) as value from counters
      where site_id = ${site.id} and (day = ${NOW} or day >= ${day}) group by 1, 2, 3
    )
    select day, metric, list_id, coalesce(rows_now.value, 0) - coalesce(counted.value, 0) as value
    from rows_now full join counted using (day, metric, list_id)
    where coalesce(rows_now.value, 0) <> coalesce(counted.value, 0)`.compile(site.db);
  const { rows } = await site.query(counting.sql, [...counting.parameters], { withinMs: COUNTS_WITHIN_MS });
  return (rows as { day: number; metric: Metric; list_id: string; value: string }[]).map((row) => ({
    ...row,
    value: Number(row.value),
  }));
}

/** Which of these choices count, and whether they count as sent. */
export async function countedChoices(
  site: SiteDb,
  ids: readonly string[],
): Promise<{ id: string; is_sent: boolean }[]> {
  return site.db
    .selectFrom('choices')
    .select([
      'id',
      sql<boolean>`not ${NEEDS_SENDING} or exists (
        select from deliveries where deliveries.site_id = ${site.id} and deliveries.site_id = choices.site_id
          and deliveries.choice_id = choices.id)`.as('is_sent'),
    ])
    .where('site_id', '=', site.id)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .where('is_test', 'is', null)
    .where(CHOSE_SOMETHING)
    .execute();
}
