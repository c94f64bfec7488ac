import { type Difference, type ListedCount, MAX_COUNTED_DIFFERENCES } from '#contract/comparisons.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { cursorOf, pageOf } from '#server/platform/paging.ts';
import type { Services } from '#server/platform/services.ts';
import { asCredentialsError, requireIntegration } from '#server/tools/integrations/integrations.ts';
import { refuseInTestMode, requireConnected, requireReconciliation } from './reconciliation.ts';
import * as statements from './discrepancies.sql.ts';
import type { DiscrepancyFilter, DiscrepancyView } from './discrepancies.sql.ts';
import { repairDiscrepancy, type RepairResult } from './repair.ts';
import { loadComparedTool } from './compared-tool.ts';

export { deleteDiscrepanciesOfCustomer } from './discrepancies.sql.ts';

function present(row: DiscrepancyView): Difference {
  return {
    id: row.id,
    comparison_id: row.reconciliation_id,
    customer_id: row.customer_id,
    customer_email: row.customer_email,
    action_id: row.action_id,
    kind: row.kind,
    change: row.change,
    ours: row.ours,
    theirs: row.theirs,
    status: row.status,
    error: row.error,
    created_at: row.created_at.toISOString(),
    resolved_at: row.resolved_at?.toISOString() ?? null,
  };
}

export async function listDiscrepancies(
  services: Services,
  siteId: string,
  integrationId: string,
  { cursor, limit, status, kind }: DiscrepancyFilter & { cursor?: string | undefined; limit: number },
) {
  const before = cursorOf(cursor);
  const { rows, changes } = await services.database.readSite(siteId, async (site) => {
    await requireIntegration(site, integrationId);
    return {
      rows: await statements.discrepanciesOf(site, integrationId, { status, kind }, { before, limit }),
      changes: await statements.countOpenByChange(site, integrationId, MAX_COUNTED_DIFFERENCES),
    };
  });
  const open = { opt_out_missing: 0, not_applied: 0, opted_out_there: 0 };
  for (const change of changes) open[change.kind] += change.count;
  return { ...pageOf(rows, limit, present), open, open_changes: changes };
}

/** The discrepancies that a comparison or repair counted, each as it is now. @throws AppError `not_found` */
export async function listDiscrepanciesBehind(
  services: Services,
  siteId: string,
  integrationId: string,
  comparisonId: string,
  { cursor, limit, count }: { cursor?: string | undefined; limit: number; count: ListedCount },
) {
  const before = cursorOf(cursor);
  const rows = await services.database.readSite(siteId, async (site) => {
    const comparison = await requireReconciliation(site, integrationId, comparisonId);
    // A repair finds nothing new.
    if (comparison.kind === 'mending' && count === 'different') return [];
    return statements.discrepanciesBehind(site, comparison, count, { before, limit });
  });
  return pageOf(rows, limit, present);
}

async function requireDiscrepancy(site: SiteDb, integrationId: string, id: string): Promise<DiscrepancyView> {
  await requireIntegration(site, integrationId);
  const row = await statements.findDiscrepancy(site, integrationId, id);
  if (row === undefined) throw notFound('This difference');
  return row;
}

/** A discrepancy that can still be repaired or dismissed. */
async function requireLive(site: SiteDb, integrationId: string, id: string): Promise<DiscrepancyView> {
  const row = await requireDiscrepancy(site, integrationId, id);
  if (row.status === 'open' || row.status === 'dismissed') return row;
  throw new AppError('conflict', 'This difference is already closed. Load the list again.');
}

/** @throws AppError `not_found`, `conflict`, `credentials_refused`, `unavailable` */
export async function repairDiscrepancyNow(
  services: Services,
  siteId: string,
  integrationId: string,
  id: string,
): Promise<Difference> {
  const row = await services.database.readSite(siteId, (site) => requireLive(site, integrationId, id));
  const tool = await loadComparedTool(services, siteId, integrationId);
  if (tool === null) throw notFound('This integration');
  requireConnected(tool.integration);
  await refuseInTestMode(services, siteId);
  const { result } = await repairOrRefuse(() => repairDiscrepancy(services, tool, row));
  if (result === 'busy') {
    const message = "We're sending a change of this customer to the tool right now. Try again in a minute.";
    throw new AppError('conflict', message);
  }
  return present(
    await services.database.readSite(siteId, (site) => requireDiscrepancy(site, integrationId, id)),
  );
}

async function repairOrRefuse(work: () => Promise<RepairResult>): Promise<RepairResult> {
  try {
    return await work();
  } catch (error) {
    throw asCredentialsError(error);
  }
}

/** @throws AppError `not_found`; `conflict` if it is closed */
export async function dismissDiscrepancy(
  services: Services,
  siteId: string,
  integrationId: string,
  id: string,
): Promise<Difference> {
  return services.database.inSite(siteId, async (site) => {
    await requireLive(site, integrationId, id);
    await statements.resolveDiscrepancy(site, id, 'dismissed', services.clock.now());
    return present(await requireDiscrepancy(site, integrationId, id));
  });
}
