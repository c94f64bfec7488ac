import { isTestEmail, testRulesOf } from '#server/accounts/sites/test-rules.ts';
import { ConnectorError, type ToolState } from '#server/connectors/connector.ts';
import { confirms } from '#server/delivery/sending/tool-changes.ts';
import { withCustomerLease } from '#server/delivery/sending/customer-leases.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import {
  type DiscrepancyRow,
  insertDiscrepancy,
  liveDiscrepanciesOf,
  refreshDiscrepancy,
  resolveDiscrepancy,
} from './discrepancies.sql.ts';
import {
  findDiscrepancies,
  type Finding,
  type Findings,
  isSameDiscrepancy,
  hasDesiredState,
} from './findings.ts';
import { applyAndConfirm, stillDesired } from './repair.ts';
import { findComparedCustomer } from './compared-customers.sql.ts';
import { type ComparedTool, toolApiFor } from './compared-tool.ts';
import { type ComparedCustomer, desiredChangesOf } from './desired-changes.ts';

/** The result for one customer. */
export interface Outcome {
  result: 'same' | 'different' | 'unknown' | 'skipped';
  mended: number;
  failed: number;
}

/** A finding with its repair. */
interface ResolvedFinding extends Finding {
  status: 'open' | 'mended';
  error: string | null;
}

const SKIPPED: Outcome = { result: 'skipped', mended: 0, failed: 0 };
export const UNKNOWN: Outcome = { result: 'unknown', mended: 0, failed: 0 };

/**
 * Compares one customer with the tool, at every address that it may still mail. Repairs missing opt-outs and records other
 * discrepancies.
 * @throws ConnectorError if the tool itself fails
 */
export async function compareCustomer(
  services: Services,
  tool: ComparedTool,
  comparisonId: string,
  customer: ComparedCustomer,
): Promise<Outcome> {
  if (customer.isUnderWay) return SKIPPED;
  const test = await testRulesOf(services, tool.siteId);
  if (isTestEmail(test, customer.email) || !hasDesiredState(tool, customer)) {
    await record(services, tool, comparisonId, customer.id, [], []);
    return SKIPPED;
  }
  const state = await stateOf(services, tool, customer);
  if (state === null) return UNKNOWN;
  const held = await confirmFindings(services, tool, customer, state);
  if (held === null) return SKIPPED;
  // In test mode nothing is written: what is found stays open for the owners, and for the next comparison.
  const settled = test.isOn
    ? held.found.map(asOpen)
    : await repairMissingOptOuts(services, tool, customer, held.found);
  if (settled === null) return SKIPPED;
  const stopped = test.isOn ? 0 : await stopAtFormerEmails(services, tool, customer);
  await record(services, tool, comparisonId, customer.id, settled, held.undecided);
  const open = settled.filter(({ status }) => status === 'open');
  return {
    result: open.length > 0 ? 'different' : held.undecided.length > 0 ? 'unknown' : 'same',
    mended: settled.length - open.length + stopped,
    failed: open.filter(({ error }) => error !== null).length,
  };
}

/**
 * What the customer is out of ends at addresses that they gave up, too. There is nothing to decide about, so no discrepancy
 * is recorded: what the tool refuses is tried again by the next comparison.
 * @returns how many opt-outs were missing there
 */
async function stopAtFormerEmails(
  services: Services,
  tool: ComparedTool,
  { id, formerEmails }: ComparedCustomer,
): Promise<number> {
  if (formerEmails.length === 0) return 0;
  const { siteId, integrationId, connector } = tool;
  const work = async () => {
    const customer = await rereadCustomer(services, tool, id);
    if (customer === undefined || customer.isUnderWay) return 0;
    const api = toolApiFor(services, tool, 'mending');
    const optOuts = desiredChangesOf(tool, customer).filter(
      ({ effect, isDisputed }) => effect === 'lowers' && !isDisputed,
    );
    let stopped = 0;
    for (const email of customer.formerEmails) {
      const state = await connector.state(api, email);
      const missing = optOuts.filter(({ change }) => state.known && confirms(change, state) === false);
      for (const { change } of missing) await connector.apply(api, { ...change, email });
      stopped += missing.length;
    }
    return stopped;
  };
  try {
    return (await withCustomerLease(services, { siteId, integrationId, customerId: id }, work)) ?? 0;
  } catch (error) {
    if (error instanceof ConnectorError && error.isAboutChange) return 0;
    throw error;
  }
}

/** null: the tool refuses to answer about this address. */
async function stateOf(
  services: Services,
  tool: ComparedTool,
  { email }: ComparedCustomer,
): Promise<ToolState | null> {
  try {
    return await tool.connector.state(toolApiFor(services, tool, 'comparing'), email);
  } catch (error) {
    if (error instanceof ConnectorError && error.isAboutChange) return null;
    throw error;
  }
}

/** Findings that persist after reading the customer again; null if that is about to change. */
async function confirmFindings(
  services: Services,
  tool: ComparedTool,
  customer: ComparedCustomer,
  state: ToolState,
): Promise<Findings | null> {
  const first = findDiscrepancies(tool, customer, state);
  if (first.found.length === 0) return first;
  const again = await rereadCustomer(services, tool, customer.id);
  if (again === undefined || again.isUnderWay) return null;
  const second = findDiscrepancies(tool, again, state);
  const found = second.found.filter((one) =>
    first.found.some((other) => other.key === one.key && isSameDiscrepancy(one, other)),
  );
  return { found, undecided: second.undecided };
}

const rereadCustomer = (services: Services, { siteId, integrationId }: ComparedTool, id: string) =>
  services.database.readSite(siteId, (site) => findComparedCustomer(services, site, integrationId, id));

const asOpen = (one: Finding): ResolvedFinding => ({ ...one, status: 'open', error: null });

/** null if a delivery of the customer goes first. */
async function repairMissingOptOuts(
  services: Services,
  tool: ComparedTool,
  { id }: ComparedCustomer,
  found: readonly Finding[],
): Promise<ResolvedFinding[] | null> {
  const missing = found.filter(({ kind }) => kind === 'opt_out_missing');
  const others = found.filter((one) => !missing.includes(one)).map(asOpen);
  if (missing.length === 0) return others;
  const { siteId, integrationId } = tool;
  const mended = await withCustomerLease(services, { siteId, integrationId, customerId: id }, () =>
    repairWithLease(services, tool, id, missing),
  );
  return mended === null ? null : [...mended, ...others];
}

async function repairWithLease(
  services: Services,
  tool: ComparedTool,
  customerId: string,
  missing: readonly Finding[],
): Promise<ResolvedFinding[] | null> {
  // Read under the lease: the customer may have resubscribed since, and then nothing is missing.
  const customer = await rereadCustomer(services, tool, customerId);
  if (customer === undefined || customer.isUnderWay) return null;
  const settled: ResolvedFinding[] = [];
  for (const finding of missing) {
    const wanted = stillDesired(tool, customer, finding);
    if (wanted === undefined || wanted.effect !== 'lowers' || wanted.isDisputed) continue;
    const repaired = await applyAndConfirm(services, tool, customer, wanted);
    if (repaired.result === 'mended') settled.push({ ...finding, status: 'mended', error: null });
    if (repaired.result === 'failed') settled.push({ ...finding, status: 'open', error: repaired.error });
  }
  return settled;
}

/** Records discrepancies and closes those that are gone. */
async function record(
  services: Services,
  { siteId, integrationId }: ComparedTool,
  comparisonId: string,
  customerId: string,
  settled: readonly ResolvedFinding[],
  undecided: readonly string[],
): Promise<void> {
  const now = services.clock.now();
  const live = await services.database.readSite(siteId, (site) =>
    liveDiscrepanciesOf(site, integrationId, [customerId]),
  );
  if (live.length === 0 && settled.length === 0) return;
  await services.database.inSite(siteId, async (site) => {
    const kept = new Set<string>(undecided);
    for (const one of settled) {
      const before = live.find((row) => row.target_key === one.key && isSameDiscrepancy(row, one));
      if (before !== undefined) {
        kept.add(one.key);
        await refresh(site, before, one, comparisonId, now);
      }
    }
    for (const row of live) {
      if (!kept.has(row.target_key)) await resolveDiscrepancy(site, row.id, 'gone', now);
    }
    for (const one of settled) {
      if (kept.has(one.key)) continue;
      const { status, error } = one;
      const of = { id: newId(), comparisonId, integrationId, customerId, status, error, now };
      await insertDiscrepancy(site, one, of);
    }
  });
}

/** A dismissed discrepancy stays dismissed, unless it was repaired. */
async function refresh(
  site: SiteDb,
  before: DiscrepancyRow,
  one: ResolvedFinding,
  comparisonId: string,
  now: Date,
): Promise<void> {
  await refreshDiscrepancy(site, before.id, one, { comparisonId, error: one.error });
  if (one.status === 'mended') await resolveDiscrepancy(site, before.id, 'mended', now);
}
