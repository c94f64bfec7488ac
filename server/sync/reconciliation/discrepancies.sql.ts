import { type Selectable, sql } from 'kysely';
import type { DifferenceKind, DifferenceStatus, ListedCount } from '#contract/comparisons.ts';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Finding } from './findings.ts';
import type { ReconciliationRow } from './reconciliation.sql.ts';

export type DiscrepancyRow = Selectable<TenantTables['discrepancies']>;

/** A discrepancy with the customer's address. */
export type DiscrepancyView = DiscrepancyRow & { customer_email: string | null };

/** The end of what is still running. */
const FAR_FUTURE = new Date('9999-01-01');

const LIVE: readonly DifferenceStatus[] = ['open', 'dismissed'];

export interface DiscrepancyFilter {
  status?: DifferenceStatus | undefined;
  kind?: DifferenceKind | undefined;
}

/** Does nothing if a live discrepancy about the same target exists. */
export async function insertDiscrepancy(
  site: SiteDb,
  { key, kind, actionId, change, ours, theirs }: Finding,
  of: {
    id: string;
    comparisonId: string;
    integrationId: string;
    customerId: string;
    status: 'open' | 'mended';
    error: string | null;
    now: Date;
  },
): Promise<void> {
  await site.db
    .insertInto('discrepancies')
    .values({
      site_id: site.id,
      id: of.id,
      reconciliation_id: of.comparisonId,
      integration_id: of.integrationId,
      customer_id: of.customerId,
      action_id: actionId,
      target_key: key,
      kind,
      change: JSON.stringify(change),
      ours: JSON.stringify(ours),
      theirs: JSON.stringify(theirs),
      status: of.status,
      error: of.error,
      created_at: of.now,
      resolved_at: of.status === 'mended' ? of.now : null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'integration_id', 'customer_id', 'target_key'])
        // As the index says it: with parameters it is not recognised any more once the statement is prepared.
        .where(sql<boolean>`status in ('open', 'dismissed')`)
        .doNothing(),
    )
    .execute();
}

/** Updates a discrepancy that persists. */
export async function refreshDiscrepancy(
  site: SiteDb,
  id: string,
  { actionId, change, ours, theirs }: Finding,
  { comparisonId, error }: { comparisonId: string; error: string | null },
): Promise<void> {
  await site.db
    .updateTable('discrepancies')
    .set({
      reconciliation_id: comparisonId,
      action_id: actionId,
      change: JSON.stringify(change),
      ours: JSON.stringify(ours),
      theirs: JSON.stringify(theirs),
      ...(error === null ? {} : { error }),
    })
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .execute();
}

/** Closes or dismisses a live discrepancy. @returns whether it was live */
export async function resolveDiscrepancy(
  site: SiteDb,
  id: string,
  status: 'mended' | 'gone' | 'dismissed',
  now: Date,
): Promise<boolean> {
  const result = await site.db
    .updateTable('discrepancies')
    .set({ status, resolved_at: now, ...(status === 'dismissed' ? {} : { error: null }) })
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('status', 'in', LIVE)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function recordRepairFailure(site: SiteDb, id: string, error: string): Promise<void> {
  await site.db
    .updateTable('discrepancies')
    .set({ error })
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('status', 'in', LIVE)
    .execute();
}

export async function liveDiscrepanciesOf(
  site: SiteDb,
  integrationId: string,
  customerIds: readonly string[],
): Promise<DiscrepancyRow[]> {
  if (customerIds.length === 0) return [];
  return site.db
    .selectFrom('discrepancies')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('customer_id', 'in', customerIds)
    .where('status', 'in', LIVE)
    .execute();
}

function selectViews(site: SiteDb, integrationId: string) {
  return site.db
    .selectFrom('discrepancies')
    .leftJoin('customers', (join) =>
      join
        .onRef('customers.site_id', '=', 'discrepancies.site_id')
        .onRef('customers.id', '=', 'discrepancies.customer_id'),
    )
    .selectAll('discrepancies')
    .select('customers.email as customer_email')
    .where('discrepancies.site_id', '=', site.id)
    .where('discrepancies.integration_id', '=', integrationId);
}

export async function discrepanciesOf(
  site: SiteDb,
  integrationId: string,
  filter: DiscrepancyFilter,
  page: { before: string | null; limit: number },
): Promise<DiscrepancyView[]> {
  let select = selectViews(site, integrationId)
    .orderBy('discrepancies.id', 'desc')
    .limit(page.limit + 1);
  if (page.before !== null) select = select.where('discrepancies.id', '<', page.before);
  if (filter.status !== undefined) select = select.where('discrepancies.status', '=', filter.status);
  if (filter.kind !== undefined) select = select.where('discrepancies.kind', '=', filter.kind);
  return select.execute();
}

/**
 * The discrepancies that a comparison or repair counted. A comparison resolved what it fixed before it ended; what was
 * fixed later counts as different. A repair is not stored with what it fixed, but the time tells.
 */
export async function discrepanciesBehind(
  site: SiteDb,
  comparison: ReconciliationRow,
  count: ListedCount,
  page: { before: string | null; limit: number },
): Promise<DiscrepancyView[]> {
  const { id, kind, integration_id, filter, started_at, finished_at } = comparison;
  let select = selectViews(site, integration_id)
    .orderBy('discrepancies.id', 'desc')
    .limit(page.limit + 1);
  if (page.before !== null) select = select.where('discrepancies.id', '<', page.before);
  if (kind === 'mending') {
    select = select.where('discrepancies.created_at', '<=', started_at);
    if (filter?.kind !== undefined) select = select.where('discrepancies.kind', '=', filter.kind);
    if (filter?.ids !== undefined) select = select.where('discrepancies.id', 'in', filter.ids);
  } else {
    select = select.where('discrepancies.reconciliation_id', '=', id);
  }
  const end = finished_at ?? FAR_FUTURE;
  const views = {
    different: () =>
      select.where((eb) =>
        eb.or([eb('discrepancies.status', '<>', 'mended'), eb('discrepancies.resolved_at', '>', end)]),
      ),
    mended: () =>
      select
        .where('discrepancies.status', '=', 'mended')
        .where('discrepancies.resolved_at', '>=', started_at)
        .where('discrepancies.resolved_at', '<=', end),
    failed: () =>
      select.where('discrepancies.status', 'in', LIVE).where('discrepancies.error', 'is not', null),
  };
  return views[count]().execute();
}

export async function findDiscrepancy(
  site: SiteDb,
  integrationId: string,
  id: string,
): Promise<DiscrepancyView | undefined> {
  return selectViews(site, integrationId).where('discrepancies.id', '=', id).executeTakeFirst();
}

/** How many open discrepancies the same change fixes, most first, among so many of them. */
export async function countOpenByChange(
  site: SiteDb,
  integrationId: string,
  most: number,
): Promise<(Pick<DiscrepancyRow, 'kind' | 'change'> & { count: number })[]> {
  const rows = await site.db
    .selectFrom((eb) =>
      eb
        .selectFrom('discrepancies')
        .select(['kind', 'change'])
        .where('site_id', '=', site.id)
        .where('integration_id', '=', integrationId)
        .where('status', '=', 'open')
        .orderBy('id', 'desc')
        .limit(most)
        .as('open'),
    )
    .select(['kind', 'change', (eb) => eb.fn.countAll<string>().as('count')])
    .groupBy(['kind', 'change'])
    .orderBy('count', 'desc')
    .orderBy('kind')
    .orderBy('change')
    .execute();
  return rows.map(({ count, ...row }) => ({ ...row, count: Number(count) }));
}

type OpenFilter = { kind?: DifferenceKind; ids?: string[] };

function selectOpen(site: SiteDb, integrationId: string, { kind, ids }: OpenFilter) {
  let select = site.db
    .selectFrom('discrepancies')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('status', '=', 'open');
  if (kind !== undefined) select = select.where('kind', '=', kind);
  if (ids !== undefined) select = select.where('id', 'in', ids);
  return select;
}

/** Oldest first, without those found after the repair began. */
export async function openDiscrepanciesAfter(
  site: SiteDb,
  integrationId: string,
  wish: OpenFilter,
  { after, until, limit }: { after: string | null; until: Date; limit: number },
): Promise<DiscrepancyRow[]> {
  let select = selectOpen(site, integrationId, wish)
    .selectAll()
    .where('created_at', '<=', until)
    .orderBy('id')
    .limit(limit);
  if (after !== null) select = select.where('id', '>', after);
  return select.execute();
}

export async function countOpenOf(site: SiteDb, integrationId: string, wish: OpenFilter): Promise<number> {
  const row = await selectOpen(site, integrationId, wish)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function deleteOldDiscrepancies(
  site: SiteDb,
  integrationId: string,
  before: Date,
): Promise<void> {
  await site.db
    .deleteFrom('discrepancies')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('status', 'in', ['mended', 'gone'])
    .where('resolved_at', '<', before)
    .execute();
}

export async function deleteDiscrepanciesOfCustomer(site: SiteDb, customerId: string): Promise<void> {
  await site.db
    .deleteFrom('discrepancies')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .execute();
}
