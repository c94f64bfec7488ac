import { type RawBuilder, sql } from 'kysely';
import type { CustomerFilter, CustomerState } from '#contract/customers.ts';
import type { TestRules } from '#server/accounts/sites/test-rules.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { FIRST_ID, firstIdAt, LAST_ID } from '#server/platform/ids.ts';
import type { CustomerRow } from './customers.sql.ts';

/*
 * Customers are walked in the order of an index, and a statement looks at so many of them at most: it costs the same
 * however many a site has, and however few match. See decision 044.
 */

/** On a busy machine of two cores a statement that finds nothing takes up to a second for them. */
export const LOOKED_AT_MOST = 100_000;

/** Sorts behind every character that an address can have. */
const LAST_CHARACTER = '\u{10FFFF}';

type Sql = RawBuilder<unknown>;

/** An order in which customers are walked, for the rows of `customers` under a name. */
export interface Order {
  key: 'id' | 'email_key';
  within: (row: Sql) => Sql;
  sorted: (row: Sql) => Sql;
  /** Not beyond the last one that is looked at: `walk.last`. */
  until: (row: Sql) => Sql;
  /** Behind all of them: the `walk.last` of a walk that looks at all that are left. */
  end: string;
}

/** @param before an id; null: from the newest on */
export function newestFirst(before: string | null, addedSince: string | undefined): Order {
  const oldest = addedSince === undefined ? FIRST_ID : firstIdAt(new Date(addedSince));
  return {
    key: 'id',
    // Both ends: a planner that knows one of them takes it for a third of the table, and reads all of it.
    within: (row) => sql`${row}.id >= ${oldest} and ${row}.id < ${before ?? LAST_ID}`,
    sorted: (row) => sql`${row}.id desc`,
    until: (row) => sql`${row}.id >= walk.last`,
    end: FIRST_ID,
  };
}

/** Not `like`: behind row-level security an index is searched only by operators that cannot leak what they see. */
function startsWith(row: Sql, start: string): Sql {
  return sql`${row}.email_key ~>=~ ${start} and ${row}.email_key ~<~ ${start + LAST_CHARACTER}`;
}

/**
 * Those whose address starts so, in the order of the index that finds them.
 * @param after the key of an address; null: from the first one on
 */
export function byAddress(start: string, after: string | null): Order {
  return {
    key: 'email_key',
    within: (row) =>
      after === null
        ? startsWith(row, start)
        : sql`${startsWith(row, start)} and ${row}.email_key ~>~ ${after}`,
    sorted: (row) => sql`${row}.email_key using ~<~`,
    until: (row) => sql`${row}.email_key ~<=~ walk.last`,
    end: start + LAST_CHARACTER,
  };
}

const C = sql`c`;

/** What the row has to fulfil beyond the order. */
export type Condition = (site: SiteDb) => Sql;

/** The address contains the text, as people see it or as its key has it, and does not start with it. */
export function contains(key: string, typed: string): Condition {
  return () => sql`not (${startsWith(C, key)})
    and (position(${key} in c.email_key) > 0 or position(${typed} in lower(c.email)) > 0)`;
}

/*
 * What else is known of a customer is looked up by their id, one by one, as an array: a join, or a condition on a list or
 * an action, would let a planner that knows little of a table begin with all rows of the list or of the action.
 */

function listsChosen(site: SiteDb, choice: 'on' | 'off'): Sql {
  return sql`array(select s.list_id from subscriptions s
    where s.site_id = ${site.id} and s.customer_id = c.id and ${choice === 'on' ? sql`` : sql`not `}s.subscribed)`;
}

/** A bounce of the present address. */
function ofBounce(site: SiteDb): Sql {
  return sql`from email_bounces b
    where b.site_id = ${site.id} and b.customer_id = c.id and b.email_key = c.email_key`;
}

/** What is read of a customer who is found. */
export type Columns<Row extends CustomerRow> = (site: SiteDb) => RawBuilder<Row>;

export const OWN_COLUMNS: Columns<CustomerRow> = () => sql`c.*`;

/** What the list of customers shows, too. */
export type ListedRow = CustomerRow & { list_ids: string[]; off_list_ids: string[]; bounced_at: Date | null };

export const LISTED_COLUMNS: Columns<ListedRow> = (site) => sql`c.*,
  ${listsChosen(site, 'on')} as list_ids,
  ${listsChosen(site, 'off')} as off_list_ids,
  (select b.bounced_at ${ofBounce(site)}) as bounced_at`;

/** The actions whose deliveries to the customer are waiting or have failed; null for the others. */
function openActions(site: SiteDb): Sql {
  return sql`array(select case when d.status <> 'arrived' then d.action_id end from deliveries d
    where d.site_id = ${site.id} and d.customer_id = c.id)`;
}

function actionsOf(site: SiteDb, integrationId: string): Sql {
  return sql`array(select a.id from actions a where a.site_id = ${site.id} and a.integration_id = ${integrationId})`;
}

const STATES: Record<CustomerState, Condition> = {
  active: (site) => sql`not c.global_unsubscribe and not exists (select ${ofBounce(site)})`,
  unsubscribed: () => sql`c.global_unsubscribe and c.paused_until is null and c.wrong_recipient_at is null`,
  wrong_recipient: () =>
    sql`c.wrong_recipient_at is not null and c.global_unsubscribe and c.paused_until is null`,
  paused: () => sql`c.paused_until is not null`,
  bounced: (site) => sql`not c.global_unsubscribe and exists (select ${ofBounce(site)})`,
};

function ofTestEmails({ emails, domains }: TestRules): Sql {
  return sql`(c.email_key = any(${[...emails]}::text[])
    or split_part(c.email_key, '@', 2) = any(${[...domains]}::text[]))`;
}

type Value<Name extends keyof CustomerFilter> = NonNullable<CustomerFilter[Name]>;

/** What each filter asks of a customer. `added_since` also bounds the walk (`newestFirst`). */
const FILTERS: { [Name in keyof CustomerFilter]-?: (value: Value<Name>, test: TestRules) => Condition } = {
  receives_list_id: (id) => (site) =>
    sql`not c.global_unsubscribe and ${id} = any(${listsChosen(site, 'on')})`,
  left_list_id: (id) => (site) => sql`${id} = any(${listsChosen(site, 'off')})`,
  state: (state) => STATES[state],
  undelivered_to: (id) => (site) => sql`${openActions(site)} && ${actionsOf(site, id)}`,
  added_since: (at) => () => sql`c.id >= ${firstIdAt(new Date(at))}`,
  changed_since: (at) => () => sql`c.updated_at >= ${new Date(at)}`,
  test: (only, rules) => () => (only === 'true' ? ofTestEmails(rules) : sql`not ${ofTestEmails(rules)}`),
};

export function conditionsOf(filter: CustomerFilter, test: TestRules): Condition[] {
  return Object.entries(FILTERS).flatMap(([name, condition]) => {
    const value = filter[name as keyof CustomerFilter];
    return value === undefined
      ? []
      : [(condition as (value: string, test: TestRules) => Condition)(value, test)];
  });
}

function present(site: SiteDb, row: Sql): Sql {
  return sql`${row}.site_id = ${site.id} and ${row}.erased_at is null and ${row}.merged_into is null`;
}

export interface Walk {
  order: Order;
  conditions: readonly Condition[];
  /** How many customers are looked at. */
  lookedAt: number;
}

/**
 * A table `walk` with the key of the last customer to look at, or `order.end` if fewer are left. Without conditions there is
 * no need to stop early: a page finds its rows at once. `offset 0` makes the key a plain value, because row-level security
 * keeps expressions that might leak rows, such as `coalesce`, from bounding an index scan.
 */
function walkTable(site: SiteDb, { order, conditions, lookedAt }: Walk): Sql {
  const w = sql`w`;
  const end = sql`${order.end}::${sql.raw(order.key === 'id' ? 'uuid' : 'text')}`;
  if (conditions.length === 0) return sql`(select ${end} as last offset 0) walk`;
  // With the one after it: where there is none, all were looked at.
  return sql`(select case when cardinality(two.keys) = 2 then two.keys[1] else ${end} end as last
    from (select array(
      select w.${sql.raw(order.key)} from customers w where ${present(site, w)} and ${order.within(w)}
      order by ${order.sorted(w)} offset ${lookedAt - 1}::int limit 2) as keys) two offset 0) walk`;
}

function where(site: SiteDb, { order, conditions }: Walk): Sql {
  const all = [present(site, C), order.within(C), order.until(C), ...conditions.map((of) => of(site))];
  return sql.join(
    all.map((one) => sql`(${one})`),
    sql` and `,
  );
}

/**
 * One more than `limit` where there are more.
 * @param columns `OWN_COLUMNS` or more, such as `LISTED_COLUMNS`
 * @returns with `last`, the key of the last customer that was looked at; null where all were
 */
export async function walkCustomers<Row extends CustomerRow>(
  site: SiteDb,
  walk: Walk,
  columns: Columns<Row>,
  limit: number,
): Promise<{ rows: Row[]; last: string | null }> {
  const { order } = walk;
  const { rows } = await sql<{ last: string } & (Row | { id: null })>`
    select walk.last, found.*
    from ${walkTable(site, walk)}
    left join lateral (
      select ${columns(site)} from customers c where ${where(site, walk)}
      order by ${order.sorted(C)} limit ${limit + 1}::int
    ) found on true
    order by ${order.sorted(sql`found`)}`.execute(site.db);
  const last = rows[0]?.last ?? order.end;
  return {
    rows: rows.filter((row): row is { last: string } & Row => row.id !== null),
    last: last === order.end ? null : last,
  };
}

/** Not more than `most`, and of those that one statement looks at. */
export async function countWalk(
  site: SiteDb,
  walk: Walk,
  most: number,
): Promise<{ count: number; isWhole: boolean }> {
  const { rows } = await sql<{ is_whole: boolean; count: string }>`
    select walk.last = ${walk.order.end} as is_whole, (
      select count(*) from (
        select from customers c where ${where(site, walk)}
        order by ${walk.order.sorted(C)} limit ${most}::int
      ) counted
    ) as count
    from ${walkTable(site, walk)}`.execute(site.db);
  return { count: Number(rows[0]?.count), isWhole: rows[0]?.is_whole ?? true };
}
