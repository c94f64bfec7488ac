import { ConnectorError, type ToolState } from '#server/connectors/connector.ts';
import { inTurn } from '#server/delivery/sending/tool-turns.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import {
  type DifferenceRow,
  insertDifference,
  liveDifferencesOf,
  renewDifference,
  resolveDifference,
} from './differences.sql.ts';
import { findDifferences, type Finding, type Findings, isSameDifference, isWorthAsking } from './findings.ts';
import { bringThere, stillWanted } from './mend.ts';
import { findPerson } from './people.sql.ts';
import { type ComparedTool, isAboutOne, lineFor } from './tool.ts';
import type { Person } from './wanted.ts';

/** What came of one person. */
export interface Outcome {
  result: 'same' | 'different' | 'unknown' | 'skipped';
  mended: number;
  failed: number;
}

/** A difference with what was done about it. */
interface Settled extends Finding {
  status: 'open' | 'mended';
  error: string | null;
}

const SKIPPED: Outcome = { result: 'skipped', mended: 0, failed: 0 };
export const UNKNOWN: Outcome = { result: 'unknown', mended: 0, failed: 0 };

/**
 * Holds one person against the tool. Opt-outs that are missing there are made up for; what else is different is kept.
 * @throws ConnectorError where the tool itself is in trouble
 */
export async function comparePerson(
  services: Services,
  tool: ComparedTool,
  comparisonId: string,
  person: Person,
): Promise<Outcome> {
  if (person.isUnderWay) return SKIPPED;
  if (!isWorthAsking(tool, person)) {
    await record(services, tool, comparisonId, person.id, [], []);
    return SKIPPED;
  }
  const state = await stateOf(services, tool, person);
  if (state === null) return UNKNOWN;
  const held = await lookAgain(services, tool, person, state);
  if (held === null) return SKIPPED;
  const settled = await settle(services, tool, person, held.found);
  if (settled === null) return SKIPPED;
  await record(services, tool, comparisonId, person.id, settled, held.undecided);
  const open = settled.filter(({ status }) => status === 'open');
  return {
    result: open.length > 0 ? 'different' : held.undecided.length > 0 ? 'unknown' : 'same',
    mended: settled.length - open.length,
    failed: open.filter(({ error }) => error !== null).length,
  };
}

/** null: the tool will not say anything of this address. */
async function stateOf(services: Services, tool: ComparedTool, { email }: Person): Promise<ToolState | null> {
  try {
    return await tool.connector.state(lineFor(services, tool, 'comparing'), email);
  } catch (error) {
    if (error instanceof ConnectorError && isAboutOne(error)) return null;
    throw error;
  }
}

/** What is still different with the person as they are now; null where that is about to change. */
async function lookAgain(
  services: Services,
  tool: ComparedTool,
  person: Person,
  state: ToolState,
): Promise<Findings | null> {
  const first = findDifferences(tool, person, state);
  if (first.found.length === 0) return first;
  const again = await readAgain(services, tool, person.id);
  if (again === undefined || again.isUnderWay) return null;
  const second = findDifferences(tool, again, state);
  const found = second.found.filter((one) =>
    first.found.some((other) => other.key === one.key && isSameDifference(one, other)),
  );
  return { found, undecided: second.undecided };
}

const readAgain = (services: Services, { siteId, integrationId }: ComparedTool, id: string) =>
  services.database.readSite(siteId, (site) => findPerson(site, integrationId, id));

/** null where a delivery of the person goes first. */
async function settle(
  services: Services,
  tool: ComparedTool,
  { id }: Person,
  found: readonly Finding[],
): Promise<Settled[] | null> {
  const missing = found.filter(({ kind }) => kind === 'opt_out_missing');
  const others = found
    .filter((one) => !missing.includes(one))
    .map((one) => ({ ...one, status: 'open' as const, error: null }));
  if (missing.length === 0) return others;
  const { siteId, integrationId } = tool;
  const mended = await inTurn(services, { siteId, integrationId, customerId: id }, () =>
    makeUpFor(services, tool, id, missing),
  );
  return mended === null ? null : [...mended, ...others];
}

async function makeUpFor(
  services: Services,
  tool: ComparedTool,
  customerId: string,
  missing: readonly Finding[],
): Promise<Settled[] | null> {
  // Inside the turn: the person may have come back since, and then nothing of it is missing.
  const person = await readAgain(services, tool, customerId);
  if (person === undefined || person.isUnderWay) return null;
  const settled: Settled[] = [];
  for (const finding of missing) {
    const wanted = stillWanted(tool, person, finding);
    if (wanted === undefined || wanted.effect !== 'lowers' || wanted.isDisputed) continue;
    const mended = await bringThere(services, tool, person, wanted);
    if (mended.result === 'mended') settled.push({ ...finding, status: 'mended', error: null });
    if (mended.result === 'failed') settled.push({ ...finding, status: 'open', error: mended.error });
  }
  return settled;
}

/** Keeps what is different, and closes what no longer is. */
async function record(
  services: Services,
  { siteId, integrationId }: ComparedTool,
  comparisonId: string,
  customerId: string,
  settled: readonly Settled[],
  undecided: readonly string[],
): Promise<void> {
  const now = services.clock.now();
  const live = await services.database.readSite(siteId, (site) =>
    liveDifferencesOf(site, integrationId, [customerId]),
  );
  if (live.length === 0 && settled.length === 0) return;
  await services.database.inSite(siteId, async (site) => {
    const kept = new Set<string>(undecided);
    for (const one of settled) {
      const before = live.find((row) => row.target_key === one.key && isSameDifference(row, one));
      if (before !== undefined) {
        kept.add(one.key);
        await renew(site, before, one, comparisonId, now);
      }
    }
    for (const row of live) {
      if (!kept.has(row.target_key)) await resolveDifference(site, row.id, 'gone', now);
    }
    for (const one of settled) {
      if (kept.has(one.key)) continue;
      const { status, error } = one;
      const of = { id: newId(), comparisonId, integrationId, customerId, status, error, now };
      await insertDifference(site, one, of);
    }
  });
}

/** One that was dismissed stays so, unless it could be mended after all. */
async function renew(
  site: SiteDb,
  before: DifferenceRow,
  one: Settled,
  comparisonId: string,
  now: Date,
): Promise<void> {
  await renewDifference(site, before.id, one, { comparisonId, error: one.error });
  if (one.status === 'mended') await resolveDifference(site, before.id, 'mended', now);
}
