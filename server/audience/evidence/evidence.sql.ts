import { type Insertable, type Selectable, sql } from 'kysely';
import type { AlreadyOff, ChoiceEvent, ChoiceSource, Evidence, LeaveReason } from '#contract/choices.ts';
import type { TenantTables } from '#db/tables.ts';
import { builtOnce, type SiteDb, type Statement } from '#server/platform/database.ts';
import { FIRST_ID, LAST_ID } from '#server/platform/ids.ts';
import { insertStatements, updateStatements } from '#server/platform/row-statements.ts';
import { CHOSE_SOMETHING } from '#server/audience/arrivals/arrivals.ts';
import { isNoTest } from './reasons.sql.ts';

/** A choice with the salt of its customer, which opens who it is about. */
export type ChoiceRow = Selectable<TenantTables['choices']> & { person_salt: Buffer | null };

/** With why the person left, where they said so. */
export type ReasonedChoiceRow = ChoiceRow & { reason: LeaveReason | null };

function selectChoices(site: SiteDb) {
  return site.db
    .selectFrom('choices')
    .innerJoin('customers', (join) =>
      join
        .onRef('customers.site_id', '=', 'choices.site_id')
        .onRef('customers.id', '=', 'choices.customer_id'),
    )
    .leftJoin('leave_reasons', (join) =>
      join
        .onRef('leave_reasons.site_id', '=', 'choices.site_id')
        .onRef('leave_reasons.choice_id', '=', 'choices.id'),
    )
    .selectAll('choices')
    .select(['customers.person_salt', 'leave_reasons.reason'])
    .where('choices.site_id', '=', site.id)
    .where('customers.site_id', '=', site.id);
}

type Columns<Table extends keyof TenantTables> = Omit<Insertable<TenantTables[Table]>, 'site_id'>;

export const insertChoices = insertStatements<Columns<'choices'>>('choices', [
  'id',
  'customer_id',
  'sequence',
  'save_id',
  'save_hash',
  'source',
  'authority',
  'events',
  'lists',
  'global_unsubscribe',
  'paused_until',
  'shown',
  'language',
  'person_hash',
  'person_sealed',
  'ip',
  'occurred_at',
  'previous_hash',
  'hash',
  'undoes_sequence',
  'requested',
  'is_test',
  'replaced',
  'visit_id',
]);

export const insertMoves = insertStatements<Columns<'subscription_changes'>>('subscription_changes', [
  'choice_id',
  'list_id',
  'joined',
]);

export const saveSubscriptions = insertStatements<Columns<'subscriptions'>>(
  'subscriptions',
  ['customer_id', 'list_id', 'subscribed', 'changed_at'],
  `on conflict (site_id, customer_id, list_id) do update
   set subscribed = excluded.subscribed, changed_at = excluded.changed_at`,
);

/** Back to never chosen. */
export function clearSubscriptions(
  siteId: string,
  rows: readonly { customer_id: string; list_id: string }[],
): Statement[] {
  if (rows.length === 0) return [];
  return [
    {
      sql: `delete from subscriptions using unnest($2::uuid[], $3::uuid[]) as gone (customer_id, list_id)
            where subscriptions.site_id = $1 and subscriptions.customer_id = gone.customer_id
              and subscriptions.list_id = gone.list_id`,
      parameters: [siteId, rows.map((row) => row.customer_id), rows.map((row) => row.list_id)],
    },
  ];
}

export const saveCustomerStates = updateStatements<{
  id: string;
  global_unsubscribe: boolean;
  paused_until: Date | null;
  wrong_recipient_at: Date | null;
  sequence: number;
  evidence_hash: Buffer;
  email: string;
  email_key: string;
  visit_id: Buffer | null;
  visit_from: number;
  updated_at: Date;
}>('customers', {
  global_unsubscribe: 'boolean',
  paused_until: 'timestamptz',
  wrong_recipient_at: 'timestamptz',
  sequence: 'int',
  evidence_hash: 'bytea',
  email: 'text',
  email_key: 'text',
  visit_id: 'bytea',
  visit_from: 'int',
  updated_at: 'timestamptz',
});

export async function findChoice(site: SiteDb, id: string): Promise<ReasonedChoiceRow | undefined> {
  return selectChoices(site).where('choices.id', '=', id).executeTakeFirst();
}

export async function findChoiceBySaveId(
  site: SiteDb,
  customerId: string,
  saveId: string,
): Promise<{ id: string } | undefined> {
  return site.db
    .selectFrom('choices')
    .select('id')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('save_id', '=', saveId)
    .executeTakeFirst();
}

export interface SavedChoice {
  id: string;
  customer_id: string;
  save_id: string | null;
  save_hash: Buffer | null;
}

/**
 * What has been saved with these save ids already. Looked up one by one: as one condition on all of them, PostgreSQL may
 * read every choice of the customers and filter.
 * @param customerIds the customer of each save id
 */
export const choicesWithSaveIds = builtOnce(
  (db, customerIds: readonly string[], saveIds: readonly string[], siteId: string) =>
    sql<SavedChoice>`
      select found.*
      from unnest(${customerIds}::uuid[], ${saveIds}::text[]) as wanted (customer_id, save_id)
      cross join lateral (
        select id, customer_id, save_id, save_hash from choices
        where site_id = ${siteId} and choices.customer_id = wanted.customer_id and choices.save_id = wanted.save_id
        limit 1
      ) as found`.compile(db),
);

/** How the choice with this number in the customer's row came about; not the undo of a bulk change, which no person made. */
export async function sourceOfChoice(
  site: SiteDb,
  customerId: string,
  sequence: number,
): Promise<ChoiceSource | undefined> {
  const row = await site.db
    .selectFrom('choices')
    .select('source')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('sequence', '=', sequence)
    .where(sql<boolean>`shown->'undone' is null`)
    .executeTakeFirst();
  return row?.source;
}

/** What tells how lists stood at a choice, and who has decided about them since. */
export type LaterChoice = Pick<
  ChoiceRow,
  'sequence' | 'lists' | 'global_unsubscribe' | 'paused_until' | 'visit_id'
>;

/** The choice with this number in the customer's row and all after it, in their order. */
export async function choicesFrom(
  site: SiteDb,
  customerId: string,
  sequence: number,
): Promise<LaterChoice[]> {
  return site.db
    .selectFrom('choices')
    .select(['sequence', 'lists', 'global_unsubscribe', 'paused_until', 'visit_id'])
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('sequence', '>=', sequence)
    .orderBy('sequence')
    .execute();
}

/** How often the customer left something by an unsubscribe link since then. */
export async function countLeavesByLink(site: SiteDb, customerId: string, since: Date): Promise<number> {
  const row = await site.db
    .selectFrom('choices')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('source', 'in', ['one_click', 'leave_link'])
    .where('occurred_at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Did the customer ask to leave this list when it was deleted already? */
export async function hasAskedToLeaveDeleted(
  site: SiteDb,
  customerId: string,
  listId: string,
): Promise<boolean> {
  const asked = JSON.stringify({ already_off: { lists: [{ list_id: listId, deleted: true }] } });
  const { rows } = await sql`
    select from choices
    where site_id = ${site.id} and customer_id = ${customerId} and shown @> ${asked}::jsonb
    limit 1`.execute(site.db);
  return rows.length > 0;
}

/**
 * Did somebody else choose one of these for the customer last? Only then may an undo turn it on again. What a record is
 * about is what `planUndo` takes it to be about.
 */
export async function isChosenForThem(
  site: SiteDb,
  customerId: string,
  { everything, lists }: AlreadyOff,
): Promise<boolean> {
  const ids = [...(everything ? [null] : []), ...lists.map(({ list_id: id }) => id)];
  const list = sql`jsonb_build_array(jsonb_build_object('list_id', asked.list_id))`;
  const { rows } = await sql`
    select asked.list_id
    from unnest(${ids}::text[]) as asked (list_id)
    cross join lateral (
      select replaced is not null as is_for_them from choices
      where site_id = ${site.id} and customer_id = ${customerId} and source <> 'pause_end'
        and case
          when asked.list_id is null and replaced is not null then replaced->'everything' is not null
          when asked.list_id is null then source in ('wrong_recipient', 'erasure')
            or events && array['global_unsubscribed', 'global_resubscribed']
            or coalesce((shown->'already_off'->>'everything')::boolean, false)
          when replaced is not null then replaced->'lists' @> ${list}
          else lists @> ${list} or coalesce(shown->'already_off'->'lists' @> ${list}, false)
        end
      order by sequence desc limit 1
    ) as last
    where last.is_for_them
    limit 1`.execute(site.db);
  return rows.length > 0;
}

/** The choice with this number in the customer's row and the one before it, in their order. */
export async function choiceWithPrevious(
  site: SiteDb,
  customerId: string,
  sequence: number,
): Promise<Pick<ChoiceRow, 'events' | 'lists' | 'global_unsubscribe' | 'paused_until'>[]> {
  return site.db
    .selectFrom('choices')
    .select(['events', 'lists', 'global_unsubscribe', 'paused_until'])
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('sequence', 'in', [sequence - 1, sequence])
    .orderBy('sequence')
    .execute();
}

/** The record of who the customer was before a choice. */
export async function emailBeforeChoice(
  site: SiteDb,
  customerId: string,
  sequence: number,
): Promise<Pick<ChoiceRow, 'person_sealed' | 'person_salt'> | undefined> {
  return selectChoices(site)
    .clearSelect()
    .select(['choices.person_sealed', 'customers.person_salt'])
    .where('choices.customer_id', '=', customerId)
    .where('choices.sequence', '=', sequence - 1)
    .executeTakeFirst();
}

/** The record before each choice that changed an address, in their order, with that choice's id. */
export async function addressesBeforeMoves(
  site: SiteDb,
  customerIds: readonly string[],
): Promise<Pick<ChoiceRow, 'id' | 'customer_id' | 'person_sealed' | 'person_salt'>[]> {
  return site.db
    .selectFrom('choices as moves')
    .innerJoin('choices as earlier', (join) =>
      join
        .onRef('earlier.site_id', '=', 'moves.site_id')
        .onRef('earlier.customer_id', '=', 'moves.customer_id')
        .on(sql<boolean>`earlier.sequence = moves.sequence - 1`),
    )
    .innerJoin('customers', (join) =>
      join.onRef('customers.site_id', '=', 'moves.site_id').onRef('customers.id', '=', 'moves.customer_id'),
    )
    .select(['moves.id', 'moves.customer_id', 'earlier.person_sealed', 'customers.person_salt'])
    .where('moves.site_id', '=', site.id)
    .where('earlier.site_id', '=', site.id)
    .where('customers.site_id', '=', site.id)
    .where(sql<boolean>`moves.customer_id = any(${[...customerIds]}::uuid[])`)
    .where(sql<boolean>`'email_changed' = any(moves.events)`)
    .orderBy('moves.sequence')
    .execute();
}

/** How the address was changed after the choice with this number in the customer's row, in their order. */
export async function addressChangesAfter(
  site: SiteDb,
  customerId: string,
  sequence: number,
): Promise<Pick<ChoiceRow, 'source' | 'undoes_sequence'>[]> {
  return site.db
    .selectFrom('choices')
    .select(['source', 'undoes_sequence'])
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('sequence', '>', sequence)
    .where(sql<boolean>`'email_changed' = any(events)`)
    .orderBy('sequence')
    .execute();
}

/** When the customer last made a choice with one of these events. @param except how it must not have come about */
export async function lastChoiceWith(
  site: SiteDb,
  customerId: string,
  events: readonly ChoiceEvent[],
  except?: ChoiceSource,
): Promise<Date | null> {
  let select = site.db
    .selectFrom('choices')
    .select('occurred_at')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where(sql<boolean>`events && ${[...events]}::text[]`)
    .orderBy('sequence', 'desc')
    .limit(1);
  if (except !== undefined) select = select.where('source', '<>', except);
  return (await select.executeTakeFirst())?.occurred_at ?? null;
}

/** When the customer's pause with this end began; null if no choice has it. */
export async function pauseBegan(site: SiteDb, customerId: string, end: Date): Promise<Date | null> {
  const choice = await site.db
    .selectFrom('choices')
    .select('occurred_at')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('paused_until', '=', end)
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst();
  return choice?.occurred_at ?? null;
}

/** @param listId null: of any list */
const subscribedSince = builtOnce((db, siteId: string, customerId: string, listId: string | null) =>
  db
    .selectFrom('subscriptions')
    .select((eb) => eb.fn.max('changed_at').as('at'))
    .where('site_id', '=', siteId)
    .where('customer_id', '=', customerId)
    .where(sql<boolean>`list_id = coalesce(${listId}::uuid, list_id)`)
    .where(sql<boolean>`subscribed`)
    .compile(),
);

/** That a pause ends is not a choice. */
const backSince = builtOnce((db, siteId: string, customerId: string) =>
  db
    .selectFrom('choices')
    .select('occurred_at as at')
    .where('site_id', '=', siteId)
    .where('customer_id', '=', customerId)
    .where(sql<boolean>`events && array['global_resubscribed']`)
    .where(sql<boolean>`source <> 'pause_end'`)
    .orderBy('sequence', 'desc')
    .limit(sql.lit(1))
    .compile(),
);

/** When the customer last chose to receive a list that they are on, or (`listId` null) anything at all. */
export async function lastOptIn(
  { id, db }: SiteDb,
  customerId: string,
  listId: string | null,
): Promise<Date | null> {
  // Together, in one round trip; one-click leaves wait for it.
  const [subscribed, back] = await Promise.all([
    db.executeQuery(subscribedSince(db, id, customerId, listId)),
    db.executeQuery(backSince(db, id, customerId)),
  ]);
  const chosenAt = subscribed.rows[0]?.at ?? null;
  const backAt = back.rows[0]?.at ?? null;
  if (chosenAt === null && listId !== null) return null;
  return chosenAt === null || (backAt !== null && backAt > chosenAt) ? backAt : chosenAt;
}

/**
 * When the customer chose the lists that they are on. An import only says that they did: that was when its file says, and
 * where it doesn't, nobody knows (null).
 */
export async function listsChosenAt(site: SiteDb, customerId: string): Promise<Map<string, Date | null>> {
  const { rows } = await sql<{
    list_id: string;
    changed_at: Date;
    source: ChoiceSource | null;
    consent_at: string | null;
    lists: Evidence['lists'] | null;
  }>`
    select chosen.list_id, chosen.changed_at, last.source, last.consent_at, last.lists
    from subscriptions as chosen
    left join lateral (
      select source, shown->'imported'->>'consent_at' as consent_at, lists from choices
      where site_id = ${site.id} and customer_id = ${customerId}
        and lists @> jsonb_build_array(jsonb_build_object('list_id', chosen.list_id, 'subscribed', true))
      order by sequence desc limit 1
    ) as last on true
    where chosen.site_id = ${site.id} and chosen.customer_id = ${customerId} and chosen.subscribed`.execute(
    site.db,
  );
  return new Map(
    rows.map(({ list_id, changed_at, source, consent_at, lists }) => {
      if (source !== 'import') return [list_id, changed_at];
      const said = lists?.find((list) => list.list_id === list_id)?.confirmed_at ?? consent_at;
      return [list_id, said === null ? null : new Date(said)];
    }),
  );
}

/**
 * With those of customers who were merged into this one, the newest first. The order of one customer's choices is that
 * of their numbers, whatever the clocks said: `reached_at` is the latest moment of a choice and of all before it, so
 * that it never goes back within a customer, and brings those of several together.
 */
export async function choicesOfCustomer(
  site: SiteDb,
  customerId: string,
  page: { before: string | null; limit: number },
): Promise<ReasonedChoiceRow[]> {
  // Read on their own: joined, a planner that knows little of a young site may go through all choices.
  const merged = await site.db
    .selectFrom('customers')
    .select('id')
    .where('site_id', '=', site.id)
    .where('merged_into', '=', customerId)
    .execute();
  const inOrder = site.db
    .selectFrom('choices')
    .select(['id', 'sequence'])
    .select(sql<Date>`max(occurred_at) over (partition by customer_id order by sequence)`.as('reached_at'))
    .where('site_id', '=', site.id)
    .where('customer_id', 'in', [customerId, ...merged.map(({ id }) => id)]);
  let select = site.db
    .with('ordered', () => inOrder)
    .selectFrom('ordered')
    .select('id')
    .orderBy('reached_at', 'desc')
    .orderBy('sequence', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.before !== null) {
    select = select.where(
      sql<boolean>`(reached_at, sequence, id) < (select reached_at, sequence, id from ordered where id = ${page.before})`,
    );
  }
  const ids = (await select.execute()).map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await selectChoices(site).where('choices.id', 'in', ids).execute();
  return rows.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
}

export interface ChoiceFilter {
  /** Ids before it are left out. */
  since?: string | undefined;
  /** Without records that a customer only came. */
  chose?: boolean | undefined;
  joined?: boolean | undefined;
  listId?: string | undefined;
  reason?: LeaveReason | undefined;
  /** true: only choices marked as tests; false: all others. */
  isTest?: boolean | undefined;
}

export async function choicesOfSite(
  site: SiteDb,
  page: { before: string | null; limit: number },
  filter: ChoiceFilter = {},
): Promise<ReasonedChoiceRow[]> {
  const isWanted = sql<boolean>`${sql.join(
    [
      sql`true`,
      ...(page.before === null ? [] : [sql`choices.id < ${page.before}`]),
      ...(filter.since === undefined ? [] : [sql`choices.id >= ${filter.since}`]),
      ...(filter.chose === true ? [CHOSE_SOMETHING] : []),
      ...(filter.isTest === false ? [sql`choices.is_test is not true`] : []),
    ],
    sql` and `,
  )}`;
  const select = selectChoices(site)
    .where(isWanted)
    .orderBy('choices.id', 'desc')
    .limit(page.limit + 1);
  if (filter.isTest === true) return testsOf(select, filter).execute();
  // Before anything is joined, so that the page is read in the order of the index.
  const newest = site.db
    .selectFrom('choices')
    .select('choices.id')
    .where('choices.site_id', '=', site.id)
    .where(isWanted)
    .orderBy('choices.id', 'desc')
    .limit(page.limit + 1);
  return select.where('choices.id', 'in', narrowedIds(site, page, filter) ?? newest).execute();
}

/**
 * They are few, and moves are stored for the others only: what a test did with a list stands in its record. That a pause
 * begins or ends is no move, as for the others.
 */
function testsOf(select: ReturnType<typeof selectChoices>, { joined, listId, reason }: ChoiceFilter) {
  // Written out, because only then does the planner use the partial index.
  let tests = select.where(sql<boolean>`choices.is_test`);
  if (reason !== undefined) tests = tests.where('leave_reasons.reason', '=', reason);
  if (joined === undefined && listId === undefined) return tests;
  const isOfList = listId === undefined ? sql`true` : sql`list->>'list_id' = ${listId}::text`;
  const isSo = joined === undefined ? sql`true` : sql`(list->>'subscribed')::boolean = ${joined}::boolean`;
  return tests
    .where(sql<boolean>`exists (select from jsonb_array_elements(choices.lists) list
      where ${isOfList} and ${isSo} and list->'declined' is null)`)
    .where('choices.source', 'not in', ['pause_end', 'wrong_recipient'])
    .where(
      sql<boolean>`not (choices.paused_until is not null and 'global_unsubscribed' = any(choices.events))`,
    );
}

type Page = { before: string | null; limit: number };

/** The page's ids, found in a narrow table, so that the wide one is read for them only; null without such a filter. */
function narrowedIds(site: SiteDb, page: Page, filter: ChoiceFilter) {
  const { joined, listId, reason } = filter;
  if (reason !== undefined && listId === undefined) return idsOfReason(site, page, { ...filter, reason });
  return joined === undefined && listId === undefined ? null : idsOfMoves(site, page, filter);
}

/**
 * Each branch walks one index in the order of the choices, so that a page costs the same however many moves there are.
 * Rows are compared as a whole, because of `list_id = ...` a prepared statement walks the primary key, through the moves of
 * all lists.
 */
function idsOfMoves(site: SiteDb, page: Page, filter: ChoiceFilter) {
  const { joined, listId } = filter;
  if (listId === undefined) return movesOfAnyList(site, page, { ...filter, joined: joined === true });
  if (joined !== undefined) return movesOfList(site, page, { ...filter, listId, joined });
  const joins = movesOfList(site, page, { ...filter, listId, joined: true });
  const leaves = movesOfList(site, page, { ...filter, listId, joined: false });
  const both = site.db
    .selectFrom(joins.as('joins'))
    .select('choice_id')
    .unionAll(site.db.selectFrom(leaves.as('leaves')).select('choice_id'));
  return site.db
    .selectFrom(both.as('moves'))
    .select('choice_id')
    .orderBy('choice_id', 'desc')
    .limit(page.limit + 1);
}

function movesOfList(
  site: SiteDb,
  { before, limit }: Page,
  { since, reason, listId, joined }: ChoiceFilter & { listId: string; joined: boolean },
) {
  const row = (id: string) => sql`(${listId}::uuid, ${joined}::boolean, ${id}::uuid)`;
  const select = site.db
    .selectFrom('subscription_changes')
    .select('choice_id')
    .where('site_id', '=', site.id)
    .where(sql<boolean>`(list_id, joined, choice_id) >= ${row(since ?? FIRST_ID)}`)
    .where(sql<boolean>`(list_id, joined, choice_id) < ${row(before ?? LAST_ID)}`)
    .orderBy('list_id', 'desc')
    .orderBy('joined', 'desc')
    .orderBy('choice_id', 'desc')
    .limit(limit + 1);
  return reason === undefined ? select : select.where(isForReason(site, reason));
}

function movesOfAnyList(
  site: SiteDb,
  { before, limit }: Page,
  { since, joined }: ChoiceFilter & { joined: boolean },
) {
  const row = (id: string) => sql`(${joined}::boolean, ${id}::uuid)`;
  const inOrder = site.db
    .selectFrom('subscription_changes')
    .select(['joined', 'choice_id'])
    .distinct()
    .where('site_id', '=', site.id)
    .where(sql<boolean>`(joined, choice_id) >= ${row(since ?? FIRST_ID)}`)
    .where(sql<boolean>`(joined, choice_id) < ${row(before ?? LAST_ID)}`)
    .orderBy('joined', 'desc')
    .orderBy('choice_id', 'desc')
    .limit(limit + 1);
  return site.db.selectFrom(inOrder.as('moves')).select('choice_id');
}

/*
 * Both conditions below compare with the value of a subquery, which is looked up for one row after the other. An `exists`
 * may be planned as a join of everything that two tables hold.
 */

/** The person said of a choice in `subscription_changes` that they left for this reason. */
const isForReason = (site: SiteDb, reason: LeaveReason) => sql<boolean>`${reason} = (
  select reason from leave_reasons
  where leave_reasons.site_id = ${site.id} and leave_reasons.choice_id = subscription_changes.choice_id)`;

/** The choice of a row of `leave_reasons` joined or left a list. */
const hasMove = (site: SiteDb, joined: boolean) => sql<boolean>`${joined}::boolean = (
  select joined from subscription_changes
  where subscription_changes.site_id = ${site.id} and subscription_changes.choice_id = leave_reasons.choice_id
    and joined = ${joined} limit 1)`;

function idsOfReason(
  site: SiteDb,
  { before, limit }: Page,
  { since, reason, joined, isTest }: ChoiceFilter & { reason: LeaveReason },
) {
  let select = site.db
    .selectFrom('leave_reasons')
    .select('choice_id')
    .where('site_id', '=', site.id)
    .where('reason', '=', reason)
    .orderBy('choice_id', 'desc')
    .limit(limit + 1);
  if (before !== null) select = select.where('choice_id', '<', before);
  if (since !== undefined) select = select.where('choice_id', '>=', since);
  if (joined !== undefined) select = select.where(hasMove(site, joined));
  return isTest === false ? select.where(isNoTest(site)) : select;
}
