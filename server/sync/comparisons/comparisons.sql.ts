import type { Selectable } from 'kysely';
import type { Comparison, ComparisonKind, ComparisonStatus } from '#contract/comparisons.ts';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type ComparisonRow = Selectable<TenantTables['comparisons']>;

export type Counts = Comparison['counts'];

/** Fails with a unique violation while another one of its sort runs for the tool. */
export async function insertComparison(
  site: SiteDb,
  comparison: {
    id: string;
    integrationId: string;
    kind: ComparisonKind;
    filter: ComparisonRow['filter'];
    counts: Counts;
    now: Date;
    startedBy: string | null;
  },
): Promise<ComparisonRow> {
  return site.db
    .insertInto('comparisons')
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

export async function runningComparison(
  site: SiteDb,
  integrationId: string,
  kinds: readonly ComparisonKind[],
): Promise<ComparisonRow | undefined> {
  return site.db
    .selectFrom('comparisons')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('status', '=', 'running')
    .where('kind', 'in', kinds)
    .executeTakeFirst();
}

export async function findComparison(
  site: SiteDb,
  integrationId: string,
  id: string,
): Promise<ComparisonRow | undefined> {
  return site.db
    .selectFrom('comparisons')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function comparisonsOf(
  site: SiteDb,
  integrationId: string,
  page: { before: string | null; limit: number },
): Promise<ComparisonRow[]> {
  let select = site.db
    .selectFrom('comparisons')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.before !== null) select = select.where('id', '<', page.before);
  return select.execute();
}

/** Was everybody compared since then, or begun with by night? */
export async function wasComparedSince(site: SiteDb, integrationId: string, since: Date): Promise<boolean> {
  const row = await site.db
    .selectFrom('comparisons')
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

/**
 * Changes a comparison that still runs.
 * @returns undefined when it was ended meanwhile
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
): Promise<ComparisonRow | undefined> {
  const { counts, ...rest } = changes;
  return site.db
    .updateTable('comparisons')
    .set({ ...rest, ...(counts === undefined ? {} : { counts: JSON.stringify(counts) }) })
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .returningAll()
    .executeTakeFirst();
}

export async function forgetOldComparisons(site: SiteDb, integrationId: string, before: Date): Promise<void> {
  await site.db
    .deleteFrom('comparisons')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('finished_at', '<', before)
    .execute();
}

/** All of a tool that is disconnected. */
export async function forgetComparisonsOf(site: SiteDb, integrationId: string): Promise<void> {
  for (const table of ['comparisons', 'differences'] as const) {
    await site.db
      .deleteFrom(table)
      .where('site_id', '=', site.id)
      .where('integration_id', '=', integrationId)
      .execute();
  }
}
