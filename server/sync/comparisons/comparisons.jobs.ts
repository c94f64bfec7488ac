import { ConnectorError } from '#server/connectors/connector.ts';
import type { Services } from '#server/platform/services.ts';
import { recordRefusedCredentials } from '#server/tools/health/tool-failures.ts';
import { lastNightlyRun, nextNightlyRun } from '#server/tools/schedule/nightly-schedule.ts';
import { scheduledTask } from '#server/tools/schedule/scheduled-tasks.ts';
import { comparePerson, type Outcome, UNKNOWN } from './compare-person.ts';
import { runningOf, startNightly } from './comparisons.ts';
import {
  type ComparisonRow,
  type Counts,
  findComparison,
  forgetOldComparisons,
  updateRunning,
  wasComparedSince,
} from './comparisons.sql.ts';
import { forgetOldDifferences, openDifferencesAfter } from './differences.sql.ts';
import { mend } from './mend.ts';
import { peopleAfter } from './people.sql.ts';
import { type ComparedTool, openTool } from './tool.ts';
import type { Person } from './wanted.ts';

/** A turn does so much, so that a worker can be stopped and other tools come up. */
const SLICE_MS = 30_000;
const SLICE_SIZE = 200;
/** After so many it is kept how far it has come. */
const GROUP = 10;
/** At the same time: a tool with few lines keeps some for deliveries. */
const AT_ONCE = 2;

const DAY_MS = 86_400_000;
const TRY_AGAIN_MS = 5 * 60_000;
const RATE_LIMITED_MS = 60_000;
const GIVE_UP_AFTER_MS = 12 * 3_600_000;
/** A night that no worker saw is made up for so long; then the next one comes. */
const NIGHT_LASTS_MS = 6 * 3_600_000;
const KEPT_DAYS = 90;

/** Holds all customers against the tools, by night and when an owner asks for it. */
export const COMPARISONS = scheduledTask({ kind: 'comparison', run: compare });

/** Mends what owners chose to have mended. */
export const MENDINGS = scheduledTask({ kind: 'mending', run: mendAll });

interface Of {
  siteId: string;
  integrationId: string;
}

async function compare(services: Services, of: Of, signal?: AbortSignal): Promise<number> {
  const tool = await openTool(services, of.siteId, of.integrationId);
  if (tool === null) return DAY_MS;
  const kinds = ['nightly', 'on_demand'] as const;
  const row =
    (await runningOf(services, of.siteId, of.integrationId, kinds)) ?? (await beginNight(services, tool));
  const waitMs = row === null ? null : await goOn(services, tool, row, compareGroup, signal);
  if (waitMs !== null) return waitMs;
  const now = services.clock.now();
  return nextNightlyRun(of.integrationId, now).getTime() - now.getTime();
}

async function mendAll(services: Services, of: Of, signal?: AbortSignal): Promise<number> {
  const tool = await openTool(services, of.siteId, of.integrationId);
  const row = await runningOf(services, of.siteId, of.integrationId, ['mending']);
  if (tool === null || row === undefined) return DAY_MS;
  return (await goOn(services, tool, row, mendOne, signal)) ?? DAY_MS;
}

/** null where it is not the time, or there is nothing to compare. */
async function beginNight(services: Services, tool: ComparedTool): Promise<ComparisonRow | null> {
  const { siteId, integrationId, integration, actions } = tool;
  const now = services.clock.now();
  const night = lastNightlyRun(integrationId, now);
  const isOver = now.getTime() - night.getTime() > NIGHT_LASTS_MS;
  const isNew = integration.created_at > night;
  if (isOver || isNew || integration.status !== 'connected' || actions.length === 0) return null;
  const isDone = await services.database.readSite(siteId, (site) =>
    wasComparedSince(site, integrationId, night),
  );
  return isDone ? null : startNightly(services, siteId, integrationId);
}

/**
 * What came of a few: how far it is now, and what to add to the counts; null after the last. What was done before the
 * tool came into trouble is told, with the trouble.
 */
type Group = (
  services: Services,
  tool: ComparedTool,
  row: ComparisonRow,
) => Promise<{ cursor: string; add: Partial<Counts>; trouble?: Error } | null>;

/** @returns when to go on, in milliseconds; null when it has ended */
async function goOn(
  services: Services,
  tool: ComparedTool,
  row: ComparisonRow,
  group: Group,
  signal?: AbortSignal,
): Promise<number | null> {
  const { status, status_reason: reason } = tool.integration;
  if (status !== 'connected') {
    await end(services, tool, row.id, 'failed', `The tool is not connected: ${reason ?? status}`);
    return null;
  }
  try {
    const course = await slice(services, tool, row, group, signal);
    if (course === 'more') return 0;
    if (course === 'done') await end(services, tool, row.id, 'finished', null);
    return null;
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    return afterTrouble(services, tool, row.id, error);
  }
}

async function slice(
  services: Services,
  tool: ComparedTool,
  first: ComparisonRow,
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

/** @returns what came of the first ones, up to one that failed; it throws where that is the very first */
async function compareAll(
  services: Services,
  tool: ComparedTool,
  row: ComparisonRow,
  people: readonly Person[],
): Promise<{ outcomes: Outcome[]; trouble?: Error }> {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < people.length; at += AT_ONCE) {
    const some = people.slice(at, at + AT_ONCE);
    // Each comes to its end before a failure of the other is told.
    const done = await Promise.allSettled(
      some.map((person) => comparePerson(services, tool, row.id, person)),
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

/** Twice so, while the tool answers for the next person: it fails for this one alone, and must not hold up the others. */
function isUnavailable(error: unknown): boolean {
  return error instanceof ConnectorError && error.kind === 'unavailable';
}

async function compareGroup(services: Services, tool: ComparedTool, row: ComparisonRow) {
  const { siteId, integrationId } = tool;
  const people = await services.database.readSite(siteId, (site) =>
    peopleAfter(site, integrationId, { after: row.cursor, limit: GROUP }),
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

/** One alone: what was mended is not open any more, and would not be counted by another try. */
async function mendOne(services: Services, tool: ComparedTool, row: ComparisonRow) {
  const { siteId, integrationId } = tool;
  const [difference] = await services.database.readSite(siteId, (site) =>
    openDifferencesAfter(site, integrationId, row.filter ?? {}, {
      after: row.cursor,
      until: row.started_at,
      limit: 1,
    }),
  );
  if (difference === undefined) return null;
  const { result } = await mend(services, tool, difference);
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
    await forgetOldComparisons(site, integrationId, longAgo);
    await forgetOldDifferences(site, integrationId, longAgo);
  });
}

/** @returns when to try again, in milliseconds; null where that is given up */
async function afterTrouble(
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
  const row = await services.database.readSite(siteId, (site) => findComparison(site, integrationId, id));
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
