import { ConnectorError } from '#server/connectors/connector.ts';
import type { Services } from '#server/platform/services.ts';
import { recordRefusedCredentials } from '#server/tools/health/tool-failures.ts';
import { lastNightlyRun, nextNightlyRun } from '#server/tools/schedule/nightly-schedule.ts';
import { scheduledTask } from '#server/tools/schedule/scheduled-tasks.ts';
import { compareCustomer, type Outcome, UNKNOWN } from './compare-customer.ts';
import { runningOf, startNightly } from './reconciliation.ts';
import {
  type ReconciliationRow,
  type Counts,
  findReconciliation,
  deleteOldReconciliations,
  updateRunning,
  wasReconciledSince,
} from './reconciliation.sql.ts';
import { deleteOldDiscrepancies, openDiscrepanciesAfter } from './discrepancies.sql.ts';
import { repairDiscrepancy } from './repair.ts';
import { comparedCustomersAfter } from './compared-customers.sql.ts';
import { type ComparedTool, loadComparedTool } from './compared-tool.ts';
import type { ComparedCustomer } from './desired-changes.ts';

/** One run does this much, so that the worker can stop and other tools get their turn. */
const SLICE_MS = 30_000;
const SLICE_SIZE = 200;
/** Progress is saved after this many customers. */
const GROUP = 10;
/** Concurrency: leaves connections of the tool to deliveries. */
const AT_ONCE = 2;

const DAY_MS = 86_400_000;
const TRY_AGAIN_MS = 5 * 60_000;
const RATE_LIMITED_MS = 60_000;
const GIVE_UP_AFTER_MS = 12 * 3_600_000;
/** A missed nightly run is made up for within this time. */
const CATCH_UP_MS = 6 * 3_600_000;
const KEPT_DAYS = 90;

/** Compares all customers with the tools, nightly and on demand. */
export const RECONCILIATION = scheduledTask({ kind: 'reconciliation', run: compare });

/** Repairs the discrepancies chosen by owners. */
export const REPAIRS = scheduledTask({ kind: 'repair', run: repairAll });

interface Of {
  siteId: string;
  integrationId: string;
}

async function compare(services: Services, of: Of, signal?: AbortSignal): Promise<number> {
  const tool = await loadComparedTool(services, of.siteId, of.integrationId);
  if (tool === null) return DAY_MS;
  const kinds = ['nightly', 'on_demand'] as const;
  const row =
    (await runningOf(services, of.siteId, of.integrationId, kinds)) ??
    (await startNightlyIfDue(services, tool));
  const waitMs = row === null ? null : await runSlice(services, tool, row, compareGroup, signal);
  if (waitMs !== null) return waitMs;
  const now = services.clock.now();
  return nextNightlyRun(of.integrationId, now).getTime() - now.getTime();
}

async function repairAll(services: Services, of: Of, signal?: AbortSignal): Promise<number> {
  const tool = await loadComparedTool(services, of.siteId, of.integrationId);
  const row = await runningOf(services, of.siteId, of.integrationId, ['mending']);
  if (tool === null || row === undefined) return DAY_MS;
  return (await runSlice(services, tool, row, repairOne, signal)) ?? DAY_MS;
}

/** null if it is not due, or there is nothing to compare. */
async function startNightlyIfDue(services: Services, tool: ComparedTool): Promise<ReconciliationRow | null> {
  const { siteId, integrationId, integration, actions } = tool;
  const now = services.clock.now();
  const night = lastNightlyRun(integrationId, now);
  const isOver = now.getTime() - night.getTime() > CATCH_UP_MS;
  const isNew = integration.created_at > night;
  if (isOver || isNew || integration.status !== 'connected' || actions.length === 0) return null;
  const isDone = await services.database.readSite(siteId, (site) =>
    wasReconciledSince(site, integrationId, night),
  );
  return isDone ? null : startNightly(services, siteId, integrationId);
}

/**
 * Processes a few customers: the new cursor and what to add to the counts; null after the last. Progress made before
 * a failure of the tool is reported along with it.
 */
type Group = (
  services: Services,
  tool: ComparedTool,
  row: ReconciliationRow,
) => Promise<{ cursor: string; add: Partial<Counts>; trouble?: Error } | null>;

/** @returns milliseconds until the next slice; null when it has ended */
async function runSlice(
  services: Services,
  tool: ComparedTool,
  row: ReconciliationRow,
  group: Group,
  signal?: AbortSignal,
): Promise<number | null> {
  const { status, status_reason: reason } = tool.integration;
  if (status !== 'connected') {
    await end(services, tool, row.id, 'failed', `The tool isn't connected: ${reason ?? status}`);
    return null;
  }
  try {
    const course = await processSlice(services, tool, row, group, signal);
    if (course === 'more') return 0;
    if (course === 'done') await end(services, tool, row.id, 'finished', null);
    return null;
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    return retryOrFail(services, tool, row.id, error);
  }
}

async function processSlice(
  services: Services,
  tool: ComparedTool,
  first: ReconciliationRow,
  group: Group,
  signal?: AbortSignal,
): Promise<'more' | 'done' | 'ended'> {
  const began = performance.now();
  let row = first;
  while (row.counts.customers - first.counts.customers < SLICE_SIZE && performance.now() - began < SLICE_MS) {
    if (signal?.aborted === true) return 'more';
    const progress = await group(services, tool, row);
    if (progress === null) return 'done';
    const counts = added(row.counts, progress.add);
    const saved = await services.database.inSite(tool.siteId, (site) =>
      updateRunning(site, row.id, { cursor: progress.cursor, counts, error: null, failing_since: null }),
    );
    // Cancelled, or the tool was disconnected.
    if (saved === undefined) return 'ended';
    if (progress.trouble !== undefined) throw progress.trouble;
    row = saved;
  }
  return 'more';
}

function added(counts: Counts, add: Partial<Counts>): Counts {
  const sums = Object.entries(add).map(([name, more]) => [name, counts[name as keyof Counts] + more]);
  return { ...counts, ...(Object.fromEntries(sums) as Partial<Counts>) };
}

/** @returns the results up to the first failure; throws if the very first fails */
async function compareAll(
  services: Services,
  tool: ComparedTool,
  row: ReconciliationRow,
  people: readonly ComparedCustomer[],
): Promise<{ outcomes: Outcome[]; trouble?: Error }> {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < people.length; at += AT_ONCE) {
    const some = people.slice(at, at + AT_ONCE);
    // Waits for all of them before reporting a failure.
    const done = await Promise.allSettled(
      some.map((customer) => compareCustomer(services, tool, row.id, customer)),
    );
    const isToolWell = row.failing_since !== null && done.some(({ status }) => status === 'fulfilled');
    for (const one of done) {
      if (one.status === 'fulfilled') outcomes.push(one.value);
      else if (isToolWell && isUnavailable(one.reason)) outcomes.push(UNKNOWN);
      else if (outcomes.length === 0) throw one.reason;
      else return { outcomes, trouble: one.reason as Error };
    }
  }
  return { outcomes };
}

/** The tool answers for others, so it fails only for this customer, who must not block them. */
function isUnavailable(error: unknown): boolean {
  return error instanceof ConnectorError && error.kind === 'unavailable';
}

async function compareGroup(services: Services, tool: ComparedTool, row: ReconciliationRow) {
  const { siteId, integrationId } = tool;
  const people = await services.database.readSite(siteId, (site) =>
    comparedCustomersAfter(services, site, integrationId, { after: row.cursor, limit: GROUP }),
  );
  if (people.length === 0) return null;
  const { outcomes, trouble } = await compareAll(services, tool, row, people);
  const of = (result: Outcome['result']) => outcomes.filter((one) => one.result === result).length;
  const sum = (what: 'mended' | 'failed') => outcomes.reduce((all, one) => all + one[what], 0);
  const add = {
    customers: outcomes.length,
    compared: outcomes.length - of('skipped'),
    same: of('same'),
    different: of('different'),
    unknown: of('unknown'),
    skipped: of('skipped'),
    mended: sum('mended'),
    failed: sum('failed'),
  };
  return { cursor: people[outcomes.length - 1]?.id ?? '', add, ...(trouble && { trouble }) };
}

/** One at a time: a repaired discrepancy is no longer open and would not be counted by a retry. */
async function repairOne(services: Services, tool: ComparedTool, row: ReconciliationRow) {
  const { siteId, integrationId } = tool;
  const [difference] = await services.database.readSite(siteId, (site) =>
    openDiscrepanciesAfter(site, integrationId, row.filter ?? {}, {
      after: row.cursor,
      until: row.started_at,
      limit: 1,
    }),
  );
  if (difference === undefined) return null;
  const { result } = await repairDiscrepancy(services, tool, difference);
  const add = {
    customers: 1,
    mended: result === 'mended' ? 1 : 0,
    failed: result === 'failed' ? 1 : 0,
    skipped: result === 'gone' || result === 'busy' ? 1 : 0,
  };
  return { cursor: difference.id, add };
}

async function end(
  services: Services,
  { siteId, integrationId }: ComparedTool,
  id: string,
  status: 'finished' | 'failed',
  error: string | null,
): Promise<void> {
  const now = services.clock.now();
  const longAgo = new Date(now.getTime() - KEPT_DAYS * DAY_MS);
  await services.database.inSite(siteId, async (site) => {
    await updateRunning(site, id, { status, error, finished_at: now });
    await deleteOldReconciliations(site, integrationId, longAgo);
    await deleteOldDiscrepancies(site, integrationId, longAgo);
  });
}

/** @returns milliseconds until the next try; null if it gave up */
async function retryOrFail(
  services: Services,
  tool: ComparedTool,
  id: string,
  { kind, message, retryAfterSeconds }: ConnectorError,
): Promise<number | null> {
  const { siteId, integrationId } = tool;
  const retryMs = (retryAfterSeconds ?? 0) * 1000;
  const now = services.clock.now();
  if (kind === 'bad_credentials') {
    await end(services, tool, id, 'failed', message);
    await recordRefusedCredentials(services, tool.integration, message);
    return null;
  }
  const row = await services.database.readSite(siteId, (site) => findReconciliation(site, integrationId, id));
  if (kind === 'rate_limited') {
    await services.database.inSite(siteId, (site) => updateRunning(site, id, { error: message }));
    return retryMs === 0 ? RATE_LIMITED_MS : retryMs;
  }
  const since = row?.failing_since ?? now;
  if (now.getTime() - since.getTime() >= GIVE_UP_AFTER_MS) {
    await end(services, tool, id, 'failed', message);
    return null;
  }
  await services.database.inSite(siteId, (site) =>
    updateRunning(site, id, { error: message, failing_since: since }),
  );
  return Math.max(TRY_AGAIN_MS, retryMs);
}
