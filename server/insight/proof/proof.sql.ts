import { type Selectable, sql } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { FIRST_ID } from '#server/platform/ids.ts';

/** Where a customer's chain ends, also of one who was erased or merged. */
export type ChainEnd = Pick<
  Selectable<TenantTables['customers']>,
  'id' | 'sequence' | 'evidence_hash' | 'merged_into'
>;

const END = ['id', 'sequence', 'evidence_hash', 'merged_into'] as const;

export async function findChainEnd(site: SiteDb, id: string): Promise<ChainEnd | undefined> {
  return site.db
    .selectFrom('customers')
    .select(END)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function chainEndsMergedInto(site: SiteDb, id: string): Promise<ChainEnd[]> {
  return site.db
    .selectFrom('customers')
    .select(END)
    .where('site_id', '=', site.id)
    .where('merged_into', '=', id)
    .orderBy('id')
    .execute();
}

/** Of all customers, in the order of their ids. */
export async function chainEndsAfter(site: SiteDb, after: string, limit: number): Promise<ChainEnd[]> {
  return site.db
    .selectFrom('customers')
    .select(END)
    .where('site_id', '=', site.id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Records without a customer are among them: removing the customer must not hide them. */
function selectRecords(site: SiteDb) {
  return site.db
    .selectFrom('choices')
    .leftJoin('customers', (join) =>
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
    .where('choices.site_id', '=', site.id);
}

/** In the order of customers and numbers. @param customerIds at least one. @param from only with ids from this one on */
export async function recordsOfCustomers(
  site: SiteDb,
  customerIds: readonly string[],
  from: string,
): Promise<ReasonedChoiceRow[]> {
  return selectRecords(site)
    .where(sql<boolean>`choices.customer_id = any(${[...customerIds]}::uuid[])`)
    .where('choices.id', '>=', from)
    .orderBy('choices.customer_id')
    .orderBy('choices.sequence')
    .execute();
}

/** A place among records in the order of customers and numbers. */
export interface Place {
  customerId: string;
  sequence: number;
}

/** In the order of customers and numbers, those behind a place. @param customerIds at least one */
export async function recordsBehind(
  site: SiteDb,
  customerIds: readonly string[],
  { customerId, sequence }: Place,
  limit: number,
): Promise<ReasonedChoiceRow[]> {
  return selectRecords(site)
    .where(sql<boolean>`choices.customer_id = any(${[...customerIds]}::uuid[])`)
    .where(sql<boolean>`(choices.customer_id, choices.sequence) > (${customerId}::uuid, ${sequence}::int)`)
    .orderBy('choices.customer_id')
    .orderBy('choices.sequence')
    .limit(limit)
    .execute();
}

/** @param customerIds at least one */
export async function countRecordsOf(site: SiteDb, customerIds: readonly string[]): Promise<number> {
  const { rows } = await sql<{ records: string }>`
    select count(*) as records from choices
    where site_id = ${site.id} and customer_id = any(${[...customerIds]}::uuid[])`.execute(site.db);
  return Number(rows[0]?.records);
}

/** In the order of their ids. */
export async function recordsBetween(
  site: SiteDb,
  { from, before, limit }: { from: string; before: string; limit: number },
): Promise<ReasonedChoiceRow[]> {
  return selectRecords(site)
    .where('choices.id', '>=', from)
    .where('choices.id', '<', before)
    .orderBy('choices.id')
    .limit(limit)
    .execute();
}

export interface DeliveryOfChoice extends Pick<
  Selectable<TenantTables['deliveries']>,
  | 'id'
  | 'choice_id'
  | 'event'
  | 'status'
  | 'outcome'
  | 'attempt_count'
  | 'created_at'
  | 'finished_at'
  | 'confirmed_at'
> {
  action_name: string;
  action_type: Selectable<TenantTables['actions']>['type'];
  tool: string | null;
  account: string | null;
}

/** What became of choices in tools and endpoints, oldest first. @param choiceIds at least one */
export async function deliveriesOfChoices(
  site: SiteDb,
  choiceIds: readonly string[],
): Promise<DeliveryOfChoice[]> {
  return site.db
    .selectFrom('deliveries')
    .innerJoin('actions', (join) =>
      join
        .onRef('actions.site_id', '=', 'deliveries.site_id')
        .onRef('actions.id', '=', 'deliveries.action_id'),
    )
    .leftJoin('integrations', (join) =>
      join
        .onRef('integrations.site_id', '=', 'actions.site_id')
        .onRef('integrations.id', '=', 'actions.integration_id'),
    )
    .select([
      'deliveries.id',
      'deliveries.choice_id',
      'deliveries.event',
      'deliveries.status',
      'deliveries.outcome',
      'deliveries.attempt_count',
      'deliveries.created_at',
      'deliveries.finished_at',
      'deliveries.confirmed_at',
      'actions.name as action_name',
      'actions.type as action_type',
      'integrations.provider as tool',
      'integrations.name as account',
    ])
    .where('deliveries.site_id', '=', site.id)
    .where('actions.site_id', '=', site.id)
    .where(sql<boolean>`deliveries.choice_id = any(${[...choiceIds]}::uuid[])`)
    .orderBy('deliveries.id')
    .execute();
}

/** What was counted up to a place in the ids: of records, and of customers. */
export interface Counted {
  records: number;
  /** Records with smaller ids are counted. */
  before: string;
  customers: number;
  /** Customers with ids up to this one are counted. */
  upTo: string;
}

/** Numbers for the summary of a site. @param counted what need not be counted again; null: nothing was yet */
export async function countRecords(
  site: SiteDb,
  counted: Counted | null,
): Promise<{
  records: number;
  customers: number;
  first: Date | null;
  last: Date | null;
}> {
  const { records, before, customers, upTo } = counted ?? {
    records: 0,
    before: FIRST_ID,
    customers: 0,
    upTo: FIRST_ID,
  };
  const { rows } = await sql<{ records: string; customers: string; first: Date | null; last: Date | null }>`
    select (select count(*) from choices where site_id = ${site.id} and id >= ${before}) as records,
      (select count(*) from customers where site_id = ${site.id} and id > ${upTo}) as customers,
      (select occurred_at from choices where site_id = ${site.id} order by id limit 1) as first,
      (select occurred_at from choices where site_id = ${site.id} order by id desc limit 1) as last`.execute(
    site.db,
  );
  const [row] = rows;
  return {
    records: records + Number(row?.records),
    customers: customers + Number(row?.customers),
    first: row?.first ?? null,
    last: row?.last ?? null,
  };
}
