import type { Selectable } from 'kysely';
import type { Comparison, ComparisonKind, ComparisonStatus } from '#contract/comparisons.ts';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type ReconciliationRow = Selectable<TenantTables['reconciliations']>;

export type Counts = Comparison['counts'];

/** Fails with a unique violation while another one of its kind runs for the tool. */
export async function insertReconciliation(
  site: SiteDb,
  comparison: {
    id: string;
    integrationId: string;
    kind: ComparisonKind;
    filter: ReconciliationRow['filter'];
    counts: Counts;
    now: Date;
    startedBy: string | null;
  },
): Promise<ReconciliationRow> {
  return site.db
    .insertInto('reconciliations')
    .values({
      site_id: site.id,
      id: comparison.id,
      integration_id: comparison.integrationId,
      kind: comparison.kind,
      status: 'running',
      filter: comparison.filter === null ? null : JSON.stringify(comparison.filter),
      cursor: null,
      counts: JSON.stringify(comparison.counts),
      error: null,
      failing_since: null,
      started_at: comparison.now,
      finished_at: null,
      started_by: comparison.startedBy,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function runningReconciliation(
  site: SiteDb,
  integrationId: string,
  kinds: readonly ComparisonKind[],
): Promise<ReconciliationRow | undefined> {
  return site.db
    .selectFrom('reconciliations')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('status', '=', 'running')
    .where('kind', 'in', kinds)
    .executeTakeFirst();
}

export async function findReconciliation(
  site: SiteDb,
  integrationId: string,
  id: string,
): Promise<ReconciliationRow | undefined> {
  return site.db
    .selectFrom('reconciliations')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function reconciliationsOf(
  site: SiteDb,
  integrationId: string,
  page: { before: string | null; limit: number },
): Promise<ReconciliationRow[]> {
  let select = site.db
    .selectFrom('reconciliations')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.before !== null) select = select.where('id', '<', page.before);
  return select.execute();
}

/** Has a reconciliation of all customers finished since then, or a nightly one begun? */
export async function wasReconciledSince(site: SiteDb, integrationId: string, since: Date): Promise<boolean> {
  const row = await site.db
    .selectFrom('reconciliations')
    .select('id')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where((eb) =>
      eb.or([
        eb.and([eb('kind', '=', 'nightly'), eb('started_at', '>=', since)]),
        eb.and([eb('kind', '<>', 'mending'), eb('status', '=', 'finished'), eb('finished_at', '>=', since)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** When the last finished reconciliation of all customers with each tool began. */
export async function lastComparisons(site: SiteDb): Promise<Map<string, Date>> {
  const rows = await site.db
    .selectFrom('reconciliations')
    .select(({ fn }) => ['integration_id', fn.max('started_at').as('at')])
    .where('site_id', '=', site.id)
    .where('kind', '<>', 'mending')
    .where('status', '=', 'finished')
    .groupBy('integration_id')
    .execute();
  return new Map(rows.map(({ integration_id, at }) => [integration_id, at]));
}

/**
 * Updates a running reconciliation.
 * @returns undefined if it has ended
 */
export async function updateRunning(
  site: SiteDb,
  id: string,
  changes: {
    status?: ComparisonStatus;
    cursor?: string;
    counts?: Counts;
    error?: string | null;
    failing_since?: Date | null;
    finished_at?: Date;
  },
): Promise<ReconciliationRow | undefined> {
  const { counts, ...rest } = changes;
  return site.db
    .updateTable('reconciliations')
    .set({ ...rest, ...(counts === undefined ? {} : { counts: JSON.stringify(counts) }) })
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .returningAll()
    .executeTakeFirst();
}

export async function deleteOldReconciliations(
  site: SiteDb,
  integrationId: string,
  before: Date,
): Promise<void> {
  await site.db
    .deleteFrom('reconciliations')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('finished_at', '<', before)
    .execute();
}

/** Deletes everything about a disconnected tool. */
export async function deleteReconciliationsOf(site: SiteDb, integrationId: string): Promise<void> {
  for (const table of ['reconciliations', 'discrepancies'] as const) {
    await site.db
      .deleteFrom(table)
      .where('site_id', '=', site.id)
      .where('integration_id', '=', integrationId)
      .execute();
  }
}
