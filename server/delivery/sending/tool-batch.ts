import type { ToolEffect } from '#db/tables.ts';
import { isTestEmail, testRulesOf } from '#server/accounts/sites/test-rules.ts';
import { customersByIds, subscriptionsOfMany } from '#server/audience/customers/customers.ts';
import {
  type Change,
  type Connector,
  ConnectorError,
  type ToolApi,
  type ToolState,
} from '#server/connectors/connector.ts';
import type { MadeCall } from '#server/connectors/tool-api.ts';
import { ATTEMPTS } from '#server/delivery/deliveries/deliveries.metrics.ts';
import { type CompletedAttempt, contactOf, type Work } from '#server/delivery/deliveries/attempt-result.ts';
import { storedEffect, wasWrittenSince } from '#server/delivery/deliveries/deliveries.sql.ts';
import type { Contact } from '#server/delivery/deliveries/dispatcher.ts';
import { deliveriesOfSequences, type UndoneDelivery } from '#server/delivery/deliveries/undone.sql.ts';
import {
  arrivalOf,
  attempt,
  startTimer,
  record,
  recordArrived,
  type Timing,
} from '#server/delivery/deliveries/recording.ts';
import { reschedule } from '#server/delivery/deliveries/settle.ts';
import { withConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import type { Services } from '#server/platform/services.ts';
import { RateLimitReached, toolClientFor } from '#server/tools/clients/tool-client.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
} from '#server/tools/integrations/integrations.ts';
import { requireTarget } from '#server/delivery/actions/gone-targets.ts';
import { formerEmailsOf } from './former-emails.ts';
import { changesFor, withoutDisputed } from './tool-changes.ts';
import {
  actionsInTool,
  asksForMore,
  batchSizeFor,
  syncWithLease,
  syncCustomerToTool,
  BUSY_SECONDS,
  postponeToNextSlot,
  describeCall,
  changeContextFor,
  readConfirmation,
  confirmationOf,
  requestedBy,
} from './tool-delivery.ts';
import { effectOf, isTaken, isWrite, recordsEffect, StandingReports } from './tool-effects.ts';
import { undoEffectOf, undoneBy } from './undone-effects.ts';
import { withCustomerLeases } from './customer-leases.ts';
import { recordCalls } from './call-estimates.ts';

/*
 * Batched deliveries to one tool: customers who need the same change share calls, opt-outs first. Deliveries that
 * cannot be batched run one by one.
 */

/** Retry delay of deliveries in a failed batch; the one that recorded the failure follows the usual schedule. */
const RETRY_BATCH_SECONDS = 5;

/** Concurrency per tool and process for deliveries that cannot be batched. */
const UNBATCHED_CONCURRENCY = 4;

interface Tool {
  integration: IntegrationRow;
  connector: Connector;
}

const NOT_MOVED = { previousEmail: null, formerEmails: [] };

/** A delivery that can be batched with others that need the same change. */
interface BatchItem {
  work: Work;
  change: Change;
}

/** @param works of one integration; not empty */
export async function deliverBatch(services: Services, works: readonly Work[]): Promise<Contact> {
  const [first] = works;
  if (first === undefined) return 'not_called';
  const ofCustomer = Map.groupBy(works, ({ choice }) => choice.customer_id);
  const firsts = [...ofCustomer.values()].flatMap(([one]) => one ?? []);
  const place = { siteId: first.choice.site_id, integrationId: first.action.integration_id ?? '' };
  const turns = firsts.map(({ choice, run }) => ({ customerId: choice.customer_id, run }));
  const contact = await withCustomerLeases(services, place, turns, async (ours) => {
    const [own, others] = partition(firsts, ({ choice }) => ours.has(choice.customer_id));
    for (const work of others) await reschedule(services, work, BUSY_SECONDS);
    return own.length === 0 ? 'not_called' : syncBatched(services, own);
  });
  // Later deliveries of the same customers start once the first are done.
  for (const [, ...later] of ofCustomer.values()) {
    for (const work of later) await attempt(services, work, () => syncCustomerToTool(services, work));
  }
  return contact;
}

function partition<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}

/** Opt-outs come first, because a used-up rate limit delays whatever comes after. */
function isOptOut(change: Change): boolean {
  if (change.type === 'switch_email') return false;
  return change.on === (change.type === 'global_unsubscribe' || change.type === 'suppression_group');
}

/** Requires the customers' leases. */
async function syncBatched(services: Services, works: readonly Work[]): Promise<Contact> {
  const { tool, sharing, alone } = await prepare(services, works);
  let contact: Contact = 'not_called';
  const batches = [...Map.groupBy(sharing, ({ change }) => keyOf(change)).values()];
  const [first, last] = partition(batches, ([one]) => one !== undefined && isOptOut(one.change));
  if (tool !== null) {
    for (const batch of [...first, ...last].flatMap((all) => splitIntoBatches(tool, all))) {
      contact = await syncBatch(services, tool, batch);
    }
  }
  const contacts = await Promise.all(
    alone.map((work) =>
      withConcurrencyLimit(UNBATCHED_CONCURRENCY, work.action.integration_id ?? '', () =>
        syncAlone(services, work),
      ),
    ),
  );
  return contacts.find((one) => one !== null) ?? contact;
}

/** Groups equal changes regardless of the customer, and of when they said so. */
export function keyOf({ email: _, ...change }: Change): string {
  return JSON.stringify({ ...change, consent: undefined });
}

function splitIntoBatches({ connector }: Tool, all: readonly BatchItem[]): BatchItem[][] {
  const [first] = all;
  if (first === undefined) return [];
  const size = batchSizeFor({ connector, changes: [first.change] });
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

async function syncAlone(services: Services, work: Work): Promise<Contact | null> {
  const result = await attempt(services, work, () => syncWithLease(services, work));
  return result.kind === 'attempted' ? contactOf(result) : null;
}

/** Works out each customer's change from their present state. While the tool is failing, nothing is batched. */
async function prepare(
  services: Services,
  works: readonly Work[],
): Promise<{ tool: Tool | null; sharing: BatchItem[]; alone: Work[] }> {
  const [{ choice, action }] = works as [Work];
  const ids = works.map((work) => work.choice.customer_id);
  const integrationId = action.integration_id ?? '';
  const [integration, customers, subscriptions, former] = await services.database.readSite(
    choice.site_id,
    (site) =>
      Promise.all([
        findIntegration(site, integrationId),
        customersByIds(site, ids),
        subscriptionsOfMany(site, ids),
        formerEmailsOf(services, site, integrationId, ids),
      ]),
  );
  if (integration === undefined || !isHealthy(integration))
    return { tool: null, sharing: [], alone: [...works] };
  const test = await testRulesOf(services, choice.site_id);
  const tool = { integration, connector: connectorOf(integration) };
  const customerOf = new Map(customers.map((customer) => [customer.id, customer]));
  const subscriptionsOf = Map.groupBy(subscriptions, (one) => one.customer_id);
  const rules = await actionsInTool(services, action);
  const sharing: BatchItem[] = [];
  const alone: Work[] = [];
  const undone = await undoneOf(services, works);
  for (const work of works) {
    const { customer_id: id, events } = work.choice;
    const customer = customerOf.get(id);
    const email = customer?.email ?? null;
    const isPlain =
      customer?.merged_into === null &&
      !events.includes('email_changed') &&
      !former.has(id) &&
      !isTestEmail(test, email);
    const context =
      isPlain && email !== null
        ? changeContextFor(work.choice, { ...customer, email }, subscriptionsOf.get(id) ?? [], NOT_MOVED)
        : null;
    const changes =
      context === null
        ? []
        : withoutDisputed(tool.connector, rules, changesFor(tool.connector, work.action, context), context);
    const [change] = changes;
    const isShared = change !== undefined && batchSizeFor({ connector: tool.connector, changes }) > 1;
    if (isShared && isForUndo(tool.connector, change, work, undone)) {
      sharing.push({ work, change });
    } else alone.push(work);
  }
  return { tool, sharing, alone };
}

/** Of the undos among these, the deliveries that they undo. */
async function undoneOf(services: Services, works: readonly Work[]): Promise<readonly UndoneDelivery[]> {
  const [{ choice, action }] = works as [Work];
  const undos = works.flatMap((work) => {
    const undone = undoneBy(work.choice);
    return undone === null ? [] : [{ customerId: work.choice.customer_id, ...undone }];
  });
  if (undos.length === 0) return [];
  return services.database.readSite(choice.site_id, (site) =>
    deliveriesOfSequences(site, {
      customerIds: undos.map(({ customerId }) => customerId),
      sequences: [...new Set(undos.flatMap(({ sequences }) => sequences))],
      integrationId: action.integration_id,
    }),
  );
}

/** Whether this undo takes something back, as far as that can be told for many; true of all that is no undo. */
function isForUndo(
  connector: Connector,
  change: Change,
  { choice }: Work,
  deliveries: readonly UndoneDelivery[],
): boolean {
  const undone = undoneBy(choice);
  if (undone === null || undone.kind === 'email_change') return true;
  const own = deliveries.filter(
    (one) => one.customer_id === choice.customer_id && undone.sequences.includes(one.sequence),
  );
  const isSettled = own.every(({ status, attempt_count }) => status !== 'waiting' || attempt_count > 0);
  return isSettled && undoEffectOf(connector, effectOf(change, null), own) === 'takes_back';
}

/** While a tool is failing, each customer has calls of their own. */
export function isHealthy({ status, rests_until, failing_since }: IntegrationRow): boolean {
  return status === 'connected' && rests_until === null && failing_since === null;
}

/** Calls observed while applying a batch. */
interface Calls {
  count: number;
  last: MadeCall | null;
  lastWrite: MadeCall | null;
  /** The tool accepted something that was written. */
  hasTaken: boolean;
  reports: StandingReports;
}

async function syncBatch(services: Services, tool: Tool, batch: readonly BatchItem[]): Promise<Contact> {
  const [first] = batch;
  if (first === undefined) return 'not_called';
  if (batch.length === 1) return (await syncAlone(services, first.work)) ?? 'not_called';
  const begun = startTimer(services);
  const calls: Calls = {
    count: 0,
    last: null,
    lastWrite: null,
    hasTaken: false,
    reports: new StandingReports(),
  };
  const api = trackedApi(services, tool, batch, calls);
  try {
    const outcomes = await applyMany(tool, api, batch);
    const taken = batch.filter((_, index) => outcomes[index] === null);
    if (!calls.hasTaken || taken.length === 0) await requireTarget(tool.connector, api, first.change);
    const states = await statesOf(tool, api, taken, calls);
    await recordAccepted(services, taken, { states, calls, timing: begun() });
    recordCalls(tool.integration.id, calls.count / batch.length);
    await recordRefused(services, batch, { outcomes, calls, timing: begun() });
    return 'answered';
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    return recoverFromBatchFailure(services, { tool, batch, calls, error, timing: begun() });
  }
}

function trackedApi(
  services: Services,
  { integration, connector }: Tool,
  batch: readonly BatchItem[],
  calls: Calls,
) {
  const onCall = (call: MadeCall) => {
    calls.count += 1;
    calls.last = call;
    if (isWrite(call)) calls.lastWrite = call;
    calls.hasTaken ||= isTaken(call);
  };
  const customerIds = batch.map(({ work }) => work.choice.customer_id);
  const wroteSince: ToolApi['wroteSince'] = (since, which) =>
    services.database.readSite(integration.site_id, (site) =>
      wasWrittenSince(site, customerIds, { ...which, integrationId: integration.id, since }),
    );
  const { found } = calls.reports;
  const use = { onCall, wroteSince, found, purpose: 'delivery' } as const;
  return toolClientFor(services, connector, integration, use).api;
}

type TrackedApi = ReturnType<typeof trackedApi>;

async function applyMany({ connector }: Tool, api: TrackedApi, batch: readonly BatchItem[]) {
  const changes = batch.map(({ change }) => change);
  return (await connector.applyMany?.(api, changes)) ?? [];
}

/** What the tool shows for each; `not_asked` where it could not be read, so that a confirmation read follows. */
async function statesOf(
  { connector }: Tool,
  api: TrackedApi,
  taken: readonly BatchItem[],
  calls: Calls,
): Promise<readonly CompletedAttempt['confirmation'][]> {
  const hasWritten = calls.lastWrite !== null;
  if (connector.stateMany === undefined) {
    return Promise.all(
      taken.map(({ change, work }) =>
        readConfirmation(connector, api, [change], { hasWritten, isForMore: asksForMore(work.action) }),
      ),
    );
  }
  try {
    const emails = taken.map(({ change }) => change.email);
    const states: readonly ToolState[] = emails.length === 0 ? [] : await connector.stateMany(api, emails);
    return taken.map(({ change, work }, index) => {
      const state = states[index];
      return state === undefined
        ? 'not_asked'
        : confirmationOf([change], state, { hasWritten, isForMore: asksForMore(work.action) });
    });
  } catch (error) {
    if (error instanceof ConnectorError) return taken.map(() => 'not_asked');
    throw error;
  }
}

async function recordAccepted(
  services: Services,
  taken: readonly BatchItem[],
  {
    states,
    calls,
    timing,
  }: { states: readonly CompletedAttempt['confirmation'][]; calls: Calls; timing: Timing },
): Promise<void> {
  const [first] = taken;
  if (first === undefined) return;
  const arrivals = taken.map(({ work, change }, index) => {
    const confirmation = states[index] ?? 'not_asked';
    const result: CompletedAttempt = {
      kind: 'attempted',
      ...describeShare(calls.lastWrite ?? calls.last, change, taken.length),
      outcome: 'arrived',
      error: null,
      retryAfterSeconds: null,
      isFinal: false,
      confirmation,
      changes: requestedBy([change], confirmation),
      effect: effectIn({ work, change }, calls),
    };
    services.metrics.counter(ATTEMPTS).inc({ type: work.action.type, outcome: 'arrived' });
    return arrivalOf(services, work, result, timing);
  });
  await recordArrived(services, first.work, arrivals);
}

/** What the batch has changed for one customer, where an undo may ask. */
function effectIn({ work, change }: BatchItem, { reports, lastWrite }: Calls): ToolEffect | null {
  if (!recordsEffect(work.choice)) return null;
  return effectOf(change, reports.of(change.email) ?? (lastWrite === null ? true : null));
}

/** Tries again later. What was written may have arrived, and would then look as if it had been so before. */
function rescheduleItem(services: Services, item: BatchItem, seconds: number, calls: Calls): Promise<void> {
  const { work } = item;
  const effect = calls.lastWrite === null ? null : (work.delivery.tool_effect ?? effectIn(item, calls));
  return reschedule(services, work, seconds, effect === null ? {} : { tool_effect: storedEffect(effect) });
}

/** One customer's share of a batched call; nothing about the others is stored with it. */
function describeShare(call: MadeCall | null, change: Change, people: number) {
  const { request, response } = describeCall(call);
  return {
    request: { ...request, body: JSON.stringify({ ...change, people_in_this_call: people }) },
    response: response && { ...response, body: '' },
  };
}

function failedAttempt(error: ConnectorError, item: BatchItem, calls: Calls): CompletedAttempt {
  const { change } = item;
  const { request, response } = describeCall(calls.last);
  return {
    kind: 'attempted',
    request: { ...request, body: '' },
    response: response && { ...response, body: '' },
    outcome: error.kind,
    error: error.message,
    retryAfterSeconds: error.retryAfterSeconds,
    isFinal: error.isFinal,
    confirmation: 'not_asked',
    changes: requestedBy([change], 'not_asked'),
    effect: calls.lastWrite === null ? null : effectIn(item, calls),
  };
}

/** A failure that concerns one customer is recorded for that customer; one that concerns the tool is recorded once. */
async function recordRefused(
  services: Services,
  batch: readonly BatchItem[],
  { outcomes, calls, timing }: { outcomes: readonly (ConnectorError | null)[]; calls: Calls; timing: Timing },
): Promise<void> {
  let isToolNoted = false;
  for (const [index, item] of batch.entries()) {
    const { work } = item;
    const error = outcomes[index] ?? null;
    if (error === null) continue;
    const isTheirs = error.isAboutChange;
    if (isTheirs || !isToolNoted) await record(services, work, failedAttempt(error, item, calls), timing);
    else await rescheduleItem(services, item, error.retryAfterSeconds ?? RETRY_BATCH_SECONDS, calls);
    isToolNoted ||= !isTheirs;
  }
}

/** Handles an error of the batch as a whole. */
async function recoverFromBatchFailure(
  services: Services,
  {
    tool,
    batch,
    calls,
    error,
    timing,
  }: {
    tool: Tool;
    batch: readonly BatchItem[];
    calls: Calls;
    error: ConnectorError;
    timing: Timing;
  },
): Promise<Contact> {
  const works = batch.map(({ work }) => work);
  if (calls.count === 0 && error.kind === 'rate_limited') {
    const seconds =
      error instanceof RateLimitReached
        ? (await postponeToNextSlot(services, tool.integration, tool.connector, error)).seconds
        : (error.retryAfterSeconds ?? BUSY_SECONDS);
    for (const work of works) await reschedule(services, work, seconds);
    return 'not_called';
  }
  // Applying them one by one shows which customer caused it.
  if (error.isAboutChange) {
    for (const work of works) await syncAlone(services, work);
    return 'answered';
  }
  // Recorded once, because it concerns the tool and not the customers.
  const [first, ...others] = batch;
  if (first !== undefined) await record(services, first.work, failedAttempt(error, first, calls), timing);
  for (const item of others) {
    await rescheduleItem(services, item, error.retryAfterSeconds ?? RETRY_BATCH_SECONDS, calls);
  }
  return error.kind === 'unavailable' && calls.last?.status === null ? 'silent' : 'answered';
}
