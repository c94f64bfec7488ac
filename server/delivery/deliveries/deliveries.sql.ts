import {
  type InferResult,
  type Insertable,
  type RawBuilder,
  type Selectable,
  sql,
  type Updateable,
} from 'kysely';
import { type Attempt, type DeliveryStatus, FAILURE_CAUSES } from '#contract/deliveries.ts';
import type { KeptOutcome, TenantTables, ToolEffect } from '#db/tables.ts';
import type { WhichWrites } from '#server/connectors/connector.ts';
import { builtOnce, type SiteDb, type Statement } from '#server/platform/database.ts';
import { insertStatements, updateStatements } from '#server/platform/row-statements.ts';
import { NO_CALL, SKIP_REASONS } from './attempt-result.ts';

export type DeliveryRow = Selectable<TenantTables['deliveries']>;

/** A delivery joined with the names shown to people. */
export type DeliveryView = DeliveryRow & {
  action_name: string;
  action_type: Selectable<TenantTables['actions']>['type'];
  action_operation: string | null;
  action_deleted_at: Date | null;
  /** null for webhook and evidence deliveries. */
  tool_name: string | null;
  customer_email: string | null;
  choice_lists: Selectable<TenantTables['choices']>['lists'];
};

// The second conditions say what the partial index says.
export const IS_TEST = sql<boolean>`deliveries.outcome = 'test' and deliveries.outcome in ('test', 'held')`;
export const IS_HELD = sql<boolean>`deliveries.outcome = 'held' and deliveries.outcome in ('test', 'held')`;
export const IS_NOT_HELD = sql<boolean>`deliveries.outcome is distinct from 'held'`;

export const insertDeliveries = insertStatements<
  Pick<
    Insertable<TenantTables['deliveries']>,
    | 'id'
    | 'action_id'
    | 'customer_id'
    | 'choice_id'
    | 'event'
    | 'status'
    | 'attempt_count'
    | 'try_count'
    | 'next_attempt_at'
    | 'outcome'
    | 'finished_at'
    | 'created_at'
  >
>('deliveries', [
  'id',
  'action_id',
  'customer_id',
  'choice_id',
  'event',
  'status',
  'attempt_count',
  'try_count',
  'next_attempt_at',
  'outcome',
  'finished_at',
  'created_at',
]);

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  action_id?: string | undefined;
  customer_id?: string | undefined;
  integration_id?: string | undefined;
  choice_id?: string | undefined;
}

function selectViews(site: SiteDb) {
  return site.db
    .selectFrom('deliveries')
    .innerJoin('actions', (join) =>
      join
        .onRef('actions.site_id', '=', 'deliveries.site_id')
        .onRef('actions.id', '=', 'deliveries.action_id'),
    )
    .innerJoin('customers', (join) =>
      join
        .onRef('customers.site_id', '=', 'deliveries.site_id')
        .onRef('customers.id', '=', 'deliveries.customer_id'),
    )
    .innerJoin('choices', (join) =>
      join
        .onRef('choices.site_id', '=', 'deliveries.site_id')
        .onRef('choices.id', '=', 'deliveries.choice_id'),
    )
    .leftJoin('integrations', (join) =>
      join
        .onRef('integrations.site_id', '=', 'actions.site_id')
        .onRef('integrations.id', '=', 'actions.integration_id'),
    )
    .selectAll('deliveries')
    .select([
      'integrations.name as tool_name',
      'actions.name as action_name',
      'actions.type as action_type',
      'actions.operation as action_operation',
      'actions.deleted_at as action_deleted_at',
      'customers.email as customer_email',
      'choices.lists as choice_lists',
    ])
    .where('deliveries.site_id', '=', site.id)
    .where('actions.site_id', '=', site.id)
    .where('customers.site_id', '=', site.id)
    .where('choices.site_id', '=', site.id);
}

export interface Search extends DeliveryFilter {
  /** Only deliveries created before this time that have not arrived; `id` is the first possible id. */
  lateBefore?: { id: string; at: Date } | undefined;
  /**
   * Only deliveries created before this time that a readable tool has not confirmed; `id` is the first possible id.
   */
  unconfirmedBefore?: { id: string; at: Date } | undefined;
  /** Inclusive lower bound of the ids. */
  since?: string | undefined;
  isTest?: boolean | undefined;
}

type Page = { before: string | null; limit: number };

export async function searchDeliveries(site: SiteDb, search: Search, page: Page): Promise<DeliveryView[]> {
  return selectViews(site)
    .where(sql<boolean>`deliveries.id in (${newestIds(site, search, page)})`)
    .orderBy('deliveries.id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

function conditions(
  { status, action_id, customer_id, choice_id, lateBefore, unconfirmedBefore, since, isTest }: Search,
  { before }: Pick<Page, 'before'>,
): RawBuilder<boolean> {
  const all = [
    ...(before === null ? [] : [sql`deliveries.id < ${before}`]),
    ...(since === undefined ? [] : [sql`deliveries.id >= ${since}`]),
    ...(status === undefined ? [] : [sql`deliveries.status = ${status}`]),
    ...(isTest === true ? [IS_TEST] : []),
    ...(isTest === false ? [sql`deliveries.outcome is distinct from 'test'`] : []),
    // A literal, because only then does the planner use the partial index of open deliveries.
    ...(lateBefore !== undefined || (status !== undefined && status !== 'arrived')
      ? [sql`deliveries.status <> 'arrived'`]
      : []),
    // The id narrows the index scan; the timestamp decides.
    ...(lateBefore === undefined
      ? []
      : [sql`deliveries.id < ${lateBefore.id} and deliveries.created_at < ${lateBefore.at}`, IS_NOT_HELD]),
    ...(action_id === undefined ? [] : [sql`deliveries.action_id = ${action_id}`]),
    ...(customer_id === undefined ? [] : [sql`deliveries.customer_id = ${customer_id}`]),
    ...(choice_id === undefined ? [] : [sql`deliveries.choice_id = ${choice_id}`]),
    ...(unconfirmedBefore === undefined
      ? []
      : [
          sql`deliveries.id < ${unconfirmedBefore.id} and deliveries.created_at < ${unconfirmedBefore.at}`,
          sql`(deliveries.status <> 'arrived' or deliveries.outcome in ('checking', 'unconfirmed'))`,
          IS_NOT_HELD,
        ]),
  ];
  return all.length === 0 ? sql`true` : sql`${sql.join(all, sql` and `)}`;
}

/**
 * The ids of a page, read from an index before anything is joined: from that of each action or open status for selective
 * filters, otherwise in the order of the log.
 */
function newestIds(site: SiteDb, search: Search, page: Page): RawBuilder<unknown> {
  const newest = (more: RawBuilder<unknown>) => sql`
    select deliveries.id from deliveries
    where deliveries.site_id = ${site.id} and ${more} and ${conditions(search, page)}
    order by deliveries.id desc limit ${page.limit + 1}`;
  if (search.unconfirmedBefore !== undefined) {
    // One index scan each; few rows match.
    return sql`
      select found.id from (
        (${newest(sql`deliveries.status = 'waiting' and deliveries.status <> 'arrived' and ${ofTools(site, search)}`)})
        union all (${newest(sql`deliveries.status = 'failed' and deliveries.status <> 'arrived' and ${ofTools(site, search)}`)})
        union all (${newest(sql`deliveries.outcome in ('checking', 'unconfirmed') and ${ofTools(site, search)}`)})
      ) as found`;
  }
  if (search.integration_id !== undefined) {
    return sql`
      select found.id from actions
      cross join lateral (${newest(sql`deliveries.action_id = actions.id`)}) as found
      where actions.site_id = ${site.id} and actions.integration_id = ${search.integration_id}
      order by found.id desc limit ${page.limit + 1}`;
  }
  if (search.lateBefore === undefined || search.status !== undefined) return newest(sql`true`);
  return sql`
    select found.id from (values ('waiting'), ('failed')) as open (status)
    cross join lateral (${newest(sql`deliveries.status = open.status`)}) as found
    order by found.id desc limit ${page.limit + 1}`;
}

/** Actions of all tools, or of one. */
function ofTools(
  site: SiteDb,
  { integration_id }: Pick<DeliveryFilter, 'integration_id'>,
): RawBuilder<boolean> {
  const which =
    integration_id === undefined
      ? sql`actions.integration_id is not null`
      : sql`actions.integration_id = ${integration_id}`;
  return sql`deliveries.action_id in (select actions.id from actions where actions.site_id = ${site.id} and ${which})`;
}

export async function findDeliveryView(site: SiteDb, id: string): Promise<DeliveryView | undefined> {
  return selectViews(site).where('deliveries.id', '=', id).executeTakeFirst();
}

/** Deliveries with their choices, in one statement. */
export const deliveriesWithChoices = builtOnce((db, siteId: string, ids: readonly string[]) =>
  db
    .selectFrom('deliveries')
    .innerJoin('choices', (join) =>
      join
        .onRef('choices.site_id', '=', 'deliveries.site_id')
        .onRef('choices.id', '=', 'deliveries.choice_id'),
    )
    .innerJoin('customers', (join) =>
      join
        .onRef('customers.site_id', '=', 'choices.site_id')
        .onRef('customers.id', '=', 'choices.customer_id'),
    )
    .selectAll('choices')
    .select([
      'customers.person_salt',
      'deliveries.id as delivery_id',
      'deliveries.action_id',
      'deliveries.event',
      'deliveries.status',
      'deliveries.attempt_count',
      'deliveries.try_count',
      'deliveries.next_attempt_at',
      'deliveries.confirmation_reads',
      'deliveries.tool_effect',
    ])
    .where('deliveries.site_id', '=', siteId)
    .where(sql<boolean>`deliveries.id = any(${ids}::uuid[])`)
    .compile(),
);

export type DeliveryWithChoice = InferResult<ReturnType<typeof deliveriesWithChoices>>[number];

export async function lockDelivery(site: SiteDb, id: string): Promise<DeliveryRow | undefined> {
  return site.db
    .selectFrom('deliveries')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export type DeliveryChanges = Updateable<Omit<TenantTables['deliveries'], 'site_id'>>;

export async function updateDelivery(site: SiteDb, id: string, changes: DeliveryChanges): Promise<void> {
  await site.db
    .updateTable('deliveries')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .execute();
}

/** Applies the same change to many deliveries in one statement. */
export async function updateDeliveries(
  site: SiteDb,
  ids: readonly string[],
  changes: DeliveryChanges,
): Promise<void> {
  await site.db
    .updateTable('deliveries')
    .set(changes)
    .where('site_id', '=', site.id)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
}

/** Updates a delivery only if no other worker has recorded an attempt since. */
export function updateDeliveryInRound(
  site: SiteDb,
  id: string,
  round: number,
  changes: DeliveryChanges,
): Statement {
  return site.db
    .updateTable('deliveries')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('attempt_count', '=', round)
    .compile();
}

/** What was asked for is kept with how it was asked, so that both are deleted together. */
export function storedRequest({ request, changes }: Attempt): string {
  return JSON.stringify(changes.length === 0 ? request : { ...request, changes });
}

export interface Arrival {
  deliveryId: string;
  attempt: Attempt;
  /** Attempts since the last restart, including this one. */
  tries: number;
  at: Date;
  isConfirmed: boolean;
  outcome: KeptOutcome;
  /** When to read the change back; null: never. */
  confirmAt: Date | null;
  /** Of the first attempt that wrote: what a later one finds there already may be its work. */
  effect: ToolEffect | null;
}

export const storedEffect = (effect: ToolEffect | null) => (effect === null ? null : JSON.stringify(effect));

/**
 * Records successful attempts with one pair of statements; deliveries that another worker has recorded are left
 * alone.
 */
export function recordArrivals(siteId: string, arrivals: readonly Arrival[]): Statement[] {
  return [
    ...insertArrivedAttempts(
      siteId,
      arrivals.map(({ deliveryId, attempt }) => ({
        delivery_id: deliveryId,
        number: attempt.number,
        started_at: new Date(attempt.started_at),
        duration_ms: attempt.duration_ms,
        outcome: attempt.outcome,
        request: storedRequest(attempt),
        response: attempt.response === null ? null : JSON.stringify(attempt.response),
        error: attempt.error,
      })),
    ),
    ...arriveDeliveries(
      siteId,
      arrivals.map(({ deliveryId, attempt, tries, at, isConfirmed, outcome, confirmAt: lookAt, effect }) => ({
        id: deliveryId,
        attempt_count: attempt.number,
        try_count: tries,
        status: 'arrived',
        next_attempt_at: lookAt,
        last_error: null,
        finished_at: at,
        confirmed_at: isConfirmed ? at : null,
        outcome,
        confirmation_reads: 0,
        tool_effect: storedEffect(effect),
      })),
    ),
  ];
}

const insertArrivedAttempts = insertStatements<
  Omit<Insertable<TenantTables['delivery_attempts']>, 'site_id'>
>(
  'delivery_attempts',
  ['delivery_id', 'number', 'started_at', 'duration_ms', 'outcome', 'request', 'response', 'error'],
  'on conflict do nothing',
);

const arriveDeliveries = updateStatements<{
  id: string;
  attempt_count: number;
  try_count: number;
  status: DeliveryStatus;
  next_attempt_at: Date | null;
  last_error: null;
  finished_at: Date;
  confirmed_at: Date | null;
  outcome: KeptOutcome;
  confirmation_reads: number;
  tool_effect: string | null;
}>(
  'deliveries',
  {
    attempt_count: 'int',
    try_count: 'int',
    status: 'text',
    next_attempt_at: 'timestamptz',
    last_error: 'text',
    finished_at: 'timestamptz',
    confirmed_at: 'timestamptz',
    outcome: 'text',
    confirmation_reads: 'int',
    tool_effect: 'jsonb',
  },
  'deliveries.attempt_count = changed.attempt_count - 1',
);

/** Fails with a unique violation if this attempt is already recorded. */
export function insertAttempt(site: SiteDb, deliveryId: string, attempt: Attempt): Statement {
  return site.db
    .insertInto('delivery_attempts')
    .values({
      site_id: site.id,
      delivery_id: deliveryId,
      number: attempt.number,
      started_at: new Date(attempt.started_at),
      duration_ms: attempt.duration_ms,
      outcome: attempt.outcome,
      request: storedRequest(attempt),
      response: attempt.response === null ? null : JSON.stringify(attempt.response),
      error: attempt.error,
    })
    .compile();
}

export type AttemptRow = Selectable<TenantTables['delivery_attempts']>;

export async function attemptsOf(site: SiteDb, deliveryId: string): Promise<AttemptRow[]> {
  return site.db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('delivery_id', '=', deliveryId)
    .orderBy('number')
    .execute();
}

/** A search for deliveries to send again: failed ones, or those that wait for their next attempt. */
export type ReplaySearch = Search &
  ({ status: 'failed' } | { status: 'waiting'; /** Earlier attempts come anyway. */ nextAttemptAfter: Date });

function selectReplayable(site: SiteDb, filter: ReplaySearch) {
  let select = site.db
    .selectFrom('deliveries')
    .innerJoin('actions', (join) =>
      join
        .onRef('actions.site_id', '=', 'deliveries.site_id')
        .onRef('actions.id', '=', 'deliveries.action_id'),
    )
    .where('deliveries.site_id', '=', site.id)
    .where('actions.site_id', '=', site.id)
    .where('actions.deleted_at', 'is', null)
    .where(conditions(filter, { before: null }));
  if (filter.status === 'waiting') {
    select = select
      .where('deliveries.outcome', 'in', FAILURE_CAUSES)
      .where('deliveries.next_attempt_at', '>', filter.nextAttemptAfter);
  }
  if (filter.unconfirmedBefore !== undefined) select = select.where('actions.integration_id', 'is not', null);
  if (filter.integration_id !== undefined)
    select = select.where('actions.integration_id', '=', filter.integration_id);
  return select;
}

/** Locks deliveries that match, oldest first, whose action still exists; skips those being recorded right now. */
export async function lockReplayable(
  site: SiteDb,
  filter: ReplaySearch,
  limit: number,
): Promise<DeliveryRow[]> {
  return selectReplayable(site, filter)
    .selectAll('deliveries')
    .orderBy('deliveries.id')
    .limit(limit)
    .forUpdate('deliveries')
    .skipLocked()
    .execute();
}

/** @param atMost stops counting there, so that the answer comes in time */
export async function countReplayable(site: SiteDb, filter: ReplaySearch, atMost: number): Promise<number> {
  const row = await site.db
    .selectFrom(selectReplayable(site, filter).select('deliveries.id').limit(atMost).as('found'))
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** What is held in test mode. @param atMost stops counting there */
export async function countHeld(site: SiteDb, atMost: number): Promise<number> {
  const row = await site.db
    .selectFrom((eb) =>
      eb
        .selectFrom('deliveries')
        .select('id')
        .where('site_id', '=', site.id)
        .where(IS_HELD)
        .limit(atMost)
        .as('found'),
    )
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Was the choice marked as a test when it was made? */
export async function isTestChoice(site: SiteDb, id: string): Promise<boolean> {
  const row = await site.db
    .selectFrom('choices')
    .select('is_test')
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.is_test === true;
}

/** Gives a row if anything is held in test mode. */
export const anyHeld = builtOnce((db, siteId: string) =>
  db
    .selectFrom('deliveries')
    .select('id')
    .where('site_id', '=', siteId)
    .where(IS_HELD)
    .limit(sql.lit(1))
    .compile(),
);

/** Locks deliveries that are held in test mode, oldest first; skips locked rows. */
export async function lockHeld(site: SiteDb, limit: number): Promise<string[]> {
  const rows = await site.db
    .selectFrom('deliveries')
    .select('id')
    .where('site_id', '=', site.id)
    .where(IS_HELD)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Locks the deliveries waiting for one tool, oldest first; skips those being recorded right now, and those held in test
 * mode.
 */
export async function waitingForTool(
  site: SiteDb,
  integrationId: string,
  limit: number,
): Promise<DeliveryRow[]> {
  return site.db
    .selectFrom('deliveries')
    .innerJoin('actions', (join) =>
      join
        .onRef('actions.site_id', '=', 'deliveries.site_id')
        .onRef('actions.id', '=', 'deliveries.action_id'),
    )
    .selectAll('deliveries')
    .where('deliveries.site_id', '=', site.id)
    .where('actions.site_id', '=', site.id)
    .where('actions.integration_id', '=', integrationId)
    .where('deliveries.status', '=', 'waiting')
    .where(IS_NOT_HELD)
    .orderBy('deliveries.id')
    .limit(limit)
    .forUpdate('deliveries')
    .skipLocked()
    .execute();
}

/** Locks what waits for these actions, like `waitingForTool`. */
export async function waitingForActions(
  site: SiteDb,
  actionIds: readonly string[],
  limit: number,
): Promise<DeliveryRow[]> {
  return site.db
    .selectFrom('deliveries')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('action_id', 'in', actionIds)
    .where('status', '=', 'waiting')
    .where(IS_NOT_HELD)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** Erases what was sent about a customer and what receivers answered, which may repeat the address. */
export async function eraseAttemptsOfCustomer(site: SiteDb, customerId: string, now: Date): Promise<void> {
  const deliveries = await site.db
    .selectFrom('deliveries')
    .select('id')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .execute();
  if (deliveries.length === 0) return;
  await site.db
    .updateTable('delivery_attempts')
    .set({
      request: JSON.stringify(NO_CALL),
      response: null,
      error: null,
      content_deleted_at: now,
    })
    .where('site_id', '=', site.id)
    .where(
      'delivery_id',
      'in',
      deliveries.map((delivery) => delivery.id),
    )
    .execute();
  await site.db
    .updateTable('deliveries')
    .set({ last_error: null })
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('last_error', 'is not', null)
    .execute();
}

/** Has anything about this customer been sent to a tool since then, or is it being sent? */
export async function hasToldSince(
  site: SiteDb,
  customerId: string,
  { integrationId, since }: { integrationId: string; since: Date },
): Promise<boolean> {
  const row = await site.db
    .selectFrom('deliveries')
    .innerJoin('actions', (join) =>
      join
        .onRef('actions.site_id', '=', 'deliveries.site_id')
        .onRef('actions.id', '=', 'deliveries.action_id'),
    )
    .select('deliveries.id')
    .where('deliveries.site_id', '=', site.id)
    .where('actions.site_id', '=', site.id)
    .where('actions.integration_id', '=', integrationId)
    .where('deliveries.customer_id', '=', customerId)
    .where((eb) =>
      eb.or([eb('deliveries.status', '=', 'waiting'), eb('deliveries.finished_at', '>=', since)]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The actions with a delivery about this customer that waits, or was created since. */
export async function actionsAboutToRun(site: SiteDb, customerId: string, since: Date): Promise<string[]> {
  const rows = await site.db
    .selectFrom('deliveries')
    .select('action_id')
    .distinct()
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where((eb) => eb.or([eb('status', '=', 'waiting'), eb('created_at', '>=', since)]))
    .execute();
  return rows.map(({ action_id }) => action_id);
}

/** Some tools search and read by POST; their URLs say so. */
export const READING_URL = /\/(?:search|read)(?:[/?]|$)/;

interface WritesAsked extends WhichWrites {
  integrationId: string;
  since: Date;
  /** Absent: until now. */
  until?: Date;
}

/** Has an attempt since then written something about one of these customers to a tool? */
export async function wasWrittenSince(
  site: SiteDb,
  customerIds: readonly string[],
  { integrationId, since, until, parts = [], isUnconfirmed = false }: WritesAsked,
): Promise<boolean> {
  let select = site.db
    .selectFrom('deliveries')
    .innerJoin('actions', (join) =>
      join
        .onRef('actions.site_id', '=', 'deliveries.site_id')
        .onRef('actions.id', '=', 'deliveries.action_id'),
    )
    .innerJoin('delivery_attempts', (join) =>
      join
        .onRef('delivery_attempts.site_id', '=', 'deliveries.site_id')
        .onRef('delivery_attempts.delivery_id', '=', 'deliveries.id'),
    )
    .select('deliveries.id')
    .where('deliveries.site_id', '=', site.id)
    .where('actions.site_id', '=', site.id)
    .where('delivery_attempts.site_id', '=', site.id)
    .where('actions.integration_id', '=', integrationId)
    .where('deliveries.customer_id', 'in', customerIds)
    .where('delivery_attempts.started_at', '>=', since)
    .where(sql<boolean>`delivery_attempts.request ->> 'method' not in ('GET', '')`)
    .where(sql<boolean>`delivery_attempts.request ->> 'url' !~ ${READING_URL.source}`)
    .limit(1);
  if (until !== undefined) select = select.where('delivery_attempts.started_at', '<=', until);
  if (isUnconfirmed) select = select.where('deliveries.confirmed_at', 'is', null);
  const told = sql`lower(concat(delivery_attempts.request ->> 'url', delivery_attempts.request ->> 'body'))`;
  for (const part of parts)
    select = select.where(sql<boolean>`position(${part.toLowerCase()} in ${told}) > 0`);
  return (await select.executeTakeFirst()) !== undefined;
}

/**
 * Was this customer's address changed, or the customer blocked by this operation, in a tool in that period?
 * @param asked.blocking null: address changes only
 */
export async function wroteThen(
  site: SiteDb,
  customerId: string,
  asked: { integrationId: string; blocking: string | null; from: Date; until: Date },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from deliveries
    join actions on actions.site_id = deliveries.site_id and actions.id = deliveries.action_id
    join delivery_attempts as made on made.site_id = deliveries.site_id and made.delivery_id = deliveries.id
    where deliveries.site_id = ${site.id} and actions.site_id = ${site.id} and made.site_id = ${site.id}
      and actions.integration_id = ${asked.integrationId} and deliveries.customer_id = ${customerId}
      and (actions.type = 'switch_email' or (actions.type = 'global_unsubscribe'
        and ${asked.blocking}::text is not null and coalesce(actions.operation, ${asked.blocking}) = ${asked.blocking}))
      and made.outcome = 'arrived' and made.started_at <= ${asked.until}
      and made.started_at + made.duration_ms * interval '1 millisecond' >= ${asked.from}
    limit 1`.execute(site.db);
  return rows.length > 0;
}

/** When a tool last confirmed that it mails these customers again. */
export async function unblockedAt(
  site: SiteDb,
  asked: { integrationId: string; operation: string; customerIds: readonly string[]; until: Date },
): Promise<Map<string, Date>> {
  const { rows } = await sql<{ customer_id: string; at: Date }>`
    select deliveries.customer_id, max(deliveries.confirmed_at) as at from deliveries
    join actions on actions.site_id = deliveries.site_id and actions.id = deliveries.action_id
    where deliveries.site_id = ${site.id} and actions.site_id = ${site.id}
      and actions.integration_id = ${asked.integrationId} and actions.type = 'global_unsubscribe'
      and actions.operation = ${asked.operation} and deliveries.confirmed_at <= ${asked.until}
      and deliveries.outcome = 'confirmed' and deliveries.customer_id = any(${[...asked.customerIds]}::uuid[])
    group by deliveries.customer_id`.execute(site.db);
  return new Map(rows.map(({ customer_id: id, at }) => [id, at]));
}

/** Is any delivery about this customer still open? */
export async function hasOpenDeliveries(site: SiteDb, customerId: string): Promise<boolean> {
  const row = await site.db
    .selectFrom('deliveries')
    .select('id')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('status', '=', 'waiting')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** What became of each delivery of the customer's latest choice. */
export async function deliveriesOfLatestChoice(
  site: SiteDb,
  customerId: string,
): Promise<Pick<DeliveryRow, 'status' | 'outcome' | 'attempt_count'>[]> {
  return site.db
    .selectFrom('deliveries')
    .select(['status', 'outcome', 'attempt_count'])
    .where('site_id', '=', site.id)
    .where('choice_id', '=', (choices) =>
      choices
        .selectFrom('choices')
        .select('id')
        .where('site_id', '=', site.id)
        .where('customer_id', '=', customerId)
        .orderBy('sequence', 'desc')
        .limit(1),
    )
    .execute();
}

/** Finds which of these changes of address the tool has carried out. A delivery that was skipped in the end carried out none. */
export async function choicesMovedIn(
  site: SiteDb,
  integrationId: string,
  choiceIds: readonly string[],
): Promise<string[]> {
  const rows = await site.db
    .selectFrom('deliveries')
    .innerJoin('actions', (join) =>
      join
        .onRef('actions.site_id', '=', 'deliveries.site_id')
        .onRef('actions.id', '=', 'deliveries.action_id'),
    )
    .select('deliveries.choice_id')
    .where('deliveries.site_id', '=', site.id)
    .where('actions.site_id', '=', site.id)
    .where(sql<boolean>`deliveries.choice_id = any(${[...choiceIds]}::uuid[])`)
    .where('actions.integration_id', '=', integrationId)
    .where('actions.type', '=', 'switch_email')
    .where('deliveries.status', '=', 'arrived')
    .where('deliveries.attempt_count', '>', 0)
    .where((eb) => eb.or([eb('outcome', 'is', null), eb('outcome', 'not in', SKIP_REASONS)]))
    .execute();
  return rows.map(({ choice_id: id }) => id);
}
