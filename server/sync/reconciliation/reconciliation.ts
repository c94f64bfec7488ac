import type { z } from 'zod';
import type { Comparison, ComparisonKind, mendDifferences } from '#contract/comparisons.ts';
import { testRulesOf } from '#server/accounts/sites/test-rules.ts';
import { countCustomers } from '#server/audience/customers/customers.ts';
import { isUniqueViolation } from '#server/platform/database-errors.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { cursorOf, pageOf } from '#server/platform/paging.ts';
import type { Services } from '#server/platform/services.ts';
import { type IntegrationRow, requireIntegration } from '#server/tools/integrations/integrations.ts';
import { nextNightlyRun } from '#server/tools/schedule/nightly-schedule.ts';
import { expediteTask } from '#server/tools/schedule/scheduled-tasks.ts';
import * as statements from './reconciliation.sql.ts';
import type { ReconciliationRow, Counts } from './reconciliation.sql.ts';
import { countOpenOf } from './discrepancies.sql.ts';

export { lastComparisons } from './reconciliation.sql.ts';

type RepairFilter = z.output<(typeof mendDifferences)['body']>;

function zeroCounts(total: number): Counts {
  const done = { customers: 0, compared: 0, same: 0, different: 0 };
  return { total, ...done, mended: 0, failed: 0, unknown: 0, skipped: 0 };
}

function present(row: ReconciliationRow): Comparison {
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    counts: row.counts,
    error: row.error,
    started_at: row.started_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    started_by: row.started_by,
  };
}

/** @throws AppError `conflict` if the tool is not connected */
export function requireConnected({ name, status, status_reason: reason }: IntegrationRow): void {
  if (status === 'connected') return;
  throw new AppError('conflict', `${name} isn't connected: ${reason ?? status} Reconnect it first.`);
}

/** @throws AppError `conflict` in test mode, in which nothing is written to tools */
export async function refuseInTestMode(services: Services, siteId: string): Promise<void> {
  const { isOn } = await testRulesOf(services, siteId);
  if (isOn)
    throw new AppError('conflict', 'This site is in test mode, so nothing is sent to tools. Go live first.');
}

/** @throws AppError `not_found`, `conflict` while one runs or the tool is not connected */
export async function startReconciliation(
  services: Services,
  siteId: string,
  integrationId: string,
  userId: string,
): Promise<Comparison> {
  return start(services, siteId, integrationId, {
    kind: 'on_demand',
    filter: null,
    startedBy: userId,
    countAll: countCustomers,
  });
}

/** Repairs all matching open discrepancies in the background. @throws AppError as `startReconciliation` */
export async function startRepair(
  services: Services,
  siteId: string,
  integrationId: string,
  { kind, ids }: RepairFilter,
  userId: string,
): Promise<Comparison> {
  await refuseInTestMode(services, siteId);
  const filter = { ...(kind === undefined ? {} : { kind }), ...(ids === undefined ? {} : { ids }) };
  return start(services, siteId, integrationId, {
    kind: 'mending',
    filter,
    startedBy: userId,
    countAll: (site) => countOpenOf(site, integrationId, filter),
  });
}

interface Start extends Pick<ReconciliationRow, 'kind' | 'filter'> {
  startedBy: string | null;
  countAll: (site: SiteDb) => Promise<number>;
}

async function start(
  services: Services,
  siteId: string,
  integrationId: string,
  { kind, filter, startedBy, countAll }: Start,
): Promise<Comparison> {
  try {
    const row = await services.database.inSite(siteId, async (site) => {
      requireConnected(await requireIntegration(site, integrationId));
      const now = services.clock.now();
      const counts = zeroCounts(await countAll(site));
      await expediteTask(site, integrationId, kind === 'mending' ? 'repair' : 'reconciliation', now);
      return statements.insertReconciliation(site, {
        id: newId(),
        integrationId,
        kind,
        filter,
        counts,
        now,
        startedBy,
      });
    });
    return present(row);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const what = kind === 'mending' ? "We're already fixing differences" : 'A comparison is already running';
    throw new AppError('conflict', `${what} with this tool. Wait until it's done, or cancel it.`);
  }
}

/** Starts the nightly run; null if another one started at the same time. */
export async function startNightly(
  services: Services,
  siteId: string,
  integrationId: string,
): Promise<ReconciliationRow | null> {
  try {
    return await services.database.inSite(siteId, async (site) =>
      statements.insertReconciliation(site, {
        id: newId(),
        integrationId,
        kind: 'nightly',
        filter: null,
        counts: zeroCounts(await countCustomers(site)),
        now: services.clock.now(),
        startedBy: null,
      }),
    );
  } catch (error) {
    if (isUniqueViolation(error)) return null;
    throw error;
  }
}

export function runningOf(
  services: Services,
  siteId: string,
  integrationId: string,
  kinds: readonly ComparisonKind[],
): Promise<ReconciliationRow | undefined> {
  return services.database.readSite(siteId, (site) =>
    statements.runningReconciliation(site, integrationId, kinds),
  );
}

export async function listReconciliations(
  services: Services,
  siteId: string,
  integrationId: string,
  query: { cursor?: string | undefined; limit: number },
) {
  const before = cursorOf(query.cursor);
  const { integration, rows } = await services.database.readSite(siteId, async (site) => ({
    integration: await requireIntegration(site, integrationId),
    rows: await statements.reconciliationsOf(site, integrationId, { before, limit: query.limit }),
  }));
  const isConnected = integration.status === 'connected';
  const night = nextNightlyRun(integrationId, services.clock.now());
  return {
    ...pageOf(rows, query.limit, present),
    nightly_at: isConnected ? night.toISOString() : null,
  };
}

/** @throws AppError `not_found` */
export async function requireReconciliation(
  site: SiteDb,
  integrationId: string,
  id: string,
): Promise<ReconciliationRow> {
  await requireIntegration(site, integrationId);
  const row = await statements.findReconciliation(site, integrationId, id);
  if (row === undefined) throw notFound('This comparison');
  return row;
}

export async function getReconciliation(
  services: Services,
  siteId: string,
  integrationId: string,
  id: string,
): Promise<Comparison> {
  return present(
    await services.database.readSite(siteId, (site) => requireReconciliation(site, integrationId, id)),
  );
}

/** @throws AppError `not_found`, `conflict` for one that has ended */
export async function cancelReconciliation(
  services: Services,
  siteId: string,
  integrationId: string,
  id: string,
): Promise<Comparison> {
  return services.database.inSite(siteId, async (site) => {
    await requireReconciliation(site, integrationId, id);
    const now = services.clock.now();
    const row = await statements.updateRunning(site, id, {
      status: 'cancelled',
      error: null,
      finished_at: now,
    });
    if (row === undefined) throw new AppError('conflict', 'This comparison has already ended.');
    return present(row);
  });
}
