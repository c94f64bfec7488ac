import { isTestEmail, testRulesOf } from '#server/accounts/sites/test-rules.ts';
import { findChoiceBySaveId } from '#server/audience/evidence/evidence.ts';
import { type ChoiceChange, saveChoice, NO_VISIT } from '#server/choices/choices/choices.ts';
import { ConnectorError, type ToolState } from '#server/connectors/connector.ts';
import { confirms, isAwaited } from '#server/delivery/sending/tool-changes.ts';
import { withCustomerLease } from '#server/delivery/sending/customer-leases.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import type { DiscrepancyRow } from './discrepancies.sql.ts';
import { recordRepairFailure, resolveDiscrepancy } from './discrepancies.sql.ts';
import { findDiscrepancies, type Finding, isSameDiscrepancy } from './findings.ts';
import { findComparedCustomer } from './compared-customers.sql.ts';
import { type ComparedTool, toolApiFor } from './compared-tool.ts';
import {
  type StoredChange,
  type ComparedCustomer,
  type DesiredChange,
  desiredChangesOf,
} from './desired-changes.ts';

/** gone: nothing to repair any more. busy: a delivery is open, or the customer is choosing right now. */
export type RepairResult = { result: 'mended' | 'gone' | 'busy' } | { result: 'failed'; error: string };

const GONE: RepairResult = { result: 'gone' };
const REPAIRED: RepairResult = { result: 'mended' };
const BUSY: RepairResult = { result: 'busy' };

/** Messages of tools may repeat the address, which is stored only with the customer. */
function failed(error: string, { email }: ComparedCustomer): RepairResult {
  const address = new RegExp(email.replace(/[^\p{L}\p{N}]/gu, '\\$&'), 'gi');
  return { result: 'failed', error: error.replace(address, '…') };
}

/**
 * Applies one change and reads it back, except in test mode and for test customers. Requires the customer's lease.
 * @throws ConnectorError if the tool itself fails
 */
export async function applyAndConfirm(
  services: Services,
  tool: ComparedTool,
  customer: ComparedCustomer,
  { change, effect }: DesiredChange,
): Promise<RepairResult> {
  const { connector } = tool;
  const test = await testRulesOf(services, tool.siteId);
  if (isTestEmail(test, customer.email)) return GONE;
  if (test.isOn) return BUSY;
  const api = toolApiFor(services, tool, 'mending');
  let state: ToolState;
  try {
    await connector.apply(api, change);
  } catch (error) {
    // The tool could be read a moment ago, so it may fail only for this change: the others go on.
    const isLeftOpen =
      error instanceof ConnectorError && (error.isAboutChange || error.kind === 'unavailable');
    if (!isLeftOpen) throw error;
    return failed(error.message, customer);
  }
  try {
    state = await connector.state(api, customer.email);
  } catch (error) {
    // A failed read undoes nothing: the change has arrived.
    if (error instanceof ConnectorError) return REPAIRED;
    throw error;
  }
  if (confirms(change, state) !== false || isAwaited(change, state)) return REPAIRED;
  // A person unknown to the tool gets nothing from it.
  if (effect === 'lowers' && !state.known) return GONE;
  return failed(
    `${connector.name} accepted the change but doesn't show it yet. Compare again later.`,
    customer,
  );
}

/** Applies the tool's opt-out here; it is not written back to the tool. */
async function applyOptOutHere(
  services: Services,
  { siteId, integrationId }: ComparedTool,
  customer: ComparedCustomer,
  { change: { list_ids: listIds } }: Finding,
  saveId: string,
): Promise<RepairResult> {
  const change: ChoiceChange =
    listIds.length === 0
      ? { globalUnsubscribe: true }
      : { lists: listIds.map((listId) => ({ list_id: listId, subscribed: false })) };
  try {
    const saved = await saveChoice(
      services,
      siteId,
      customer.id,
      change,
      {
        source: 'tool',
        authority: 'system',
        saveId,
        ...NO_VISIT,
        toldBy: { integrationId, since: services.clock.now() },
      },
      { sequence: customer.sequence },
    );
    return saved.refused === null ? REPAIRED : BUSY;
  } catch (error) {
    // Erased, or the list was deleted.
    if (error instanceof AppError && ['not_found', 'invalid_field'].includes(error.code)) return GONE;
    throw error;
  }
}

/**
 * Repairs a discrepancy, if it persists, and records the result.
 * @throws ConnectorError if the tool itself fails
 */
export async function repairDiscrepancy(
  services: Services,
  tool: ComparedTool,
  row: DiscrepancyRow,
): Promise<RepairResult> {
  const { siteId, integrationId } = tool;
  const place = { siteId, integrationId, customerId: row.customer_id };
  const repaired =
    (await withCustomerLease(services, place, () => repairWithLease(services, tool, row))) ?? BUSY;
  const now = services.clock.now();
  await services.database.inSite(siteId, async (site) => {
    if (repaired.result === 'failed') await recordRepairFailure(site, row.id, repaired.error);
    else if (repaired.result !== 'busy') await resolveDiscrepancy(site, row.id, repaired.result, now);
  });
  return repaired;
}

async function repairWithLease(
  services: Services,
  tool: ComparedTool,
  row: DiscrepancyRow,
): Promise<RepairResult> {
  const saveId = `repair:${tool.integrationId}:${row.id}`;
  const { person: customer, isTaken } = await services.database.readSite(tool.siteId, async (site) => ({
    person: await findComparedCustomer(services, site, tool.integrationId, row.customer_id),
    isTaken: (await findChoiceBySaveId(site, row.customer_id, saveId)) !== undefined,
  }));
  if (customer === undefined) return GONE;
  // A worker applied the opt-out and died before recording it.
  if (isTaken) return REPAIRED;
  if (customer.isUnderWay) return BUSY;
  let state: ToolState;
  try {
    state = await tool.connector.state(toolApiFor(services, tool, 'mending'), customer.email);
  } catch (error) {
    if (!(error instanceof ConnectorError && error.isAboutChange)) throw error;
    return failed(error.message, customer);
  }
  const still = findDiscrepancies(tool, customer, state).found.find(
    (one) => one.key === row.target_key && isSameDiscrepancy(one, row),
  );
  if (still === undefined) return GONE;
  if (still.kind === 'opted_out_there') return applyOptOutHere(services, tool, customer, still, saveId);
  const wanted = stillDesired(tool, customer, still);
  return wanted === undefined ? GONE : applyAndConfirm(services, tool, customer, wanted);
}

/** The action's requirement, if it is still the same. */
export function stillDesired(
  tool: ComparedTool,
  customer: ComparedCustomer,
  { key, change }: { key: string; change: Pick<StoredChange, 'on'> },
): DesiredChange | undefined {
  return desiredChangesOf(tool, customer).find((one) => one.key === key && one.change.on === change.on);
}
