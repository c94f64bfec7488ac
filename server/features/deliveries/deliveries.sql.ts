import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Attempt, DeliveryStatus } from '#contract/deliveries.ts';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { NO_CALL } from './carried.ts';

export type DeliveryRow = Selectable<TenantTables['deliveries']>;

/** A delivery with the words for people that hang on it. */
export type DeliveryView = DeliveryRow & {
  action_name: string;
  action_type: Selectable<TenantTables['actions']>['type'];
  action_deleted_at: Date | null;
  customer_email: string | null;
};

/** @param deliveries at least one */
export function insertDeliveries(
  site: SiteDb,
  deliveries: readonly Omit<Insertable<TenantTables['deliveries']>, 'site_id'>[],
): Statement {
  return site.db
    .insertInto('deliveries')
    .values(deliveries.map((delivery) => ({ ...delivery, site_id: site.id })))
    .compile();
}

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  action_id?: string | undefined;
  customer_id?: string | undefined;
  integration_id?: string | undefined;
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
    .selectAll('deliveries')
    .select([
      'actions.name as action_name',
      'actions.type as action_type',
      'actions.deleted_at as action_deleted_at',
      'customers.email as customer_email',
    ])
    .where('deliveries.site_id', '=', site.id)
    .where('actions.site_id', '=', site.id)
    .where('customers.site_id', '=', site.id);
}

export async function searchDeliveries(
  site: SiteDb,
  filter: DeliveryFilter & { lateSince?: Date | undefined; since?: string | undefined },
  page: { before: string | null; limit: number },
): Promise<DeliveryView[]> {
  let select = selectViews(site)
    .orderBy('deliveries.id', 'desc')
    .limit(page.limit + 1);
  if (page.before !== null) select = select.where('deliveries.id', '<', page.before);
  if (filter.since !== undefined) select = select.where('deliveries.id', '>=', filter.since);
  if (filter.status !== undefined) select = select.where('deliveries.status', '=', filter.status);
  if (filter.action_id !== undefined) select = select.where('deliveries.action_id', '=', filter.action_id);
  if (filter.customer_id !== undefined)
    select = select.where('deliveries.customer_id', '=', filter.customer_id);
  if (filter.integration_id !== undefined)
    select = select.where('actions.integration_id', '=', filter.integration_id);
  if (filter.lateSince !== undefined) {
    select = select
      .where('deliveries.status', '<>', 'arrived')
      .where('deliveries.created_at', '<', filter.lateSince);
  }
  return select.execute();
}

export async function findDeliveryView(site: SiteDb, id: string): Promise<DeliveryView | undefined> {
  return selectViews(site).where('deliveries.id', '=', id).executeTakeFirst();
}

/** A delivery with its choice, as one statement. */
export function deliveryWithChoice(db: SiteDb['db'], siteId: string, id: string) {
  return db
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
    ])
    .where('deliveries.site_id', '=', siteId)
    .where('choices.site_id', '=', siteId)
    .where('customers.site_id', '=', siteId)
    .where('deliveries.id', '=', id)
    .compile();
}

export async function lockDelivery(site: SiteDb, id: string): Promise<DeliveryRow | undefined> {
  return site.db
    .selectFrom('deliveries')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

type DeliveryChanges = Updateable<Omit<TenantTables['deliveries'], 'site_id'>>;

export async function updateDelivery(site: SiteDb, id: string, changes: DeliveryChanges): Promise<void> {
  await site.db
    .updateTable('deliveries')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .execute();
}

/** The same change to many, as one statement. */
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

/** Changes a delivery only while nobody else has recorded an attempt. */
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

/** Fails with a unique violation when this attempt is recorded already. */
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
      request: JSON.stringify(attempt.request),
      response: attempt.response === null ? null : JSON.stringify(attempt.response),
      error: attempt.error,
    })
    .compile();
}

export async function attemptsOf(
  site: SiteDb,
  deliveryId: string,
): Promise<Selectable<TenantTables['delivery_attempts']>[]> {
  return site.db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('delivery_id', '=', deliveryId)
    .orderBy('number')
    .execute();
}

function selectFailed(site: SiteDb, filter: Omit<DeliveryFilter, 'status'>) {
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
    .where('deliveries.status', '=', 'failed');
  if (filter.action_id !== undefined) select = select.where('deliveries.action_id', '=', filter.action_id);
  if (filter.customer_id !== undefined)
    select = select.where('deliveries.customer_id', '=', filter.customer_id);
  if (filter.integration_id !== undefined)
    select = select.where('actions.integration_id', '=', filter.integration_id);
  return select;
}

/** The failed ones that match, oldest first, whose action still exists. */
export async function failedDeliveries(
  site: SiteDb,
  filter: Omit<DeliveryFilter, 'status'>,
  limit: number,
): Promise<DeliveryRow[]> {
  return selectFailed(site, filter).selectAll('deliveries').orderBy('deliveries.id').limit(limit).execute();
}

export async function countFailed(site: SiteDb, filter: Omit<DeliveryFilter, 'status'>): Promise<number> {
  const row = await selectFailed(site, filter)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** What waits for one tool, oldest first. */
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
    .orderBy('deliveries.id')
    .limit(limit)
    .execute();
}

/** What was sent about a person who is erased goes, too, and what receivers said of it: it may repeat the address. */
export async function eraseAttemptsOfCustomer(site: SiteDb, customerId: string): Promise<void> {
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

/** Was, or is, something about this customer carried to a tool after this moment? */
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

/** Is there something about this customer that still has to arrive somewhere? */
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
