import { customersByIds, subscriptionsOfMany } from '#server/audience/customers/customers.ts';
import { type Change, type Connector, ConnectorError, type ToolState } from '#server/connectors/connector.ts';
import type { MadeCall } from '#server/connectors/tool-api.ts';
import { ATTEMPTS } from '#server/delivery/deliveries/deliveries.figures.ts';
import { type Attempted, contactOf, type Work } from '#server/delivery/deliveries/carried.ts';
import { wasWrittenSince } from '#server/delivery/deliveries/deliveries.sql.ts';
import type { Contact } from '#server/delivery/deliveries/dispatcher.ts';
import {
  arrivalOf,
  attempt,
  begin,
  record,
  recordArrived,
  type Timing,
} from '#server/delivery/deliveries/recording.ts';
import { reschedule } from '#server/delivery/deliveries/settle.ts';
import { atMost } from '#server/platform/at-most.ts';
import type { Services } from '#server/platform/services.ts';
import { RateLimitReached, toolClientFor } from '#server/tools/clients/tool-client.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
} from '#server/tools/integrations/integrations.ts';
import { changesFor } from './tool-changes.ts';
import {
  batchSizeFor,
  bringNow,
  bringTool,
  BUSY_SECONDS,
  comeAgain,
  describedCall,
  occasionFor,
  seenIn,
  seenOf,
  writes,
} from './tool-delivery.ts';
import { inTurns } from './tool-turns.ts';
import { noteCalls } from './usual-calls.ts';

/*
 * Deliveries to one tool with as few calls as it allows: people who need the same change share its calls, those who
 * leave go first. Whoever cannot share goes alone.
 */

/** Those who shared a call that failed come again after it; the one that recorded the failure keeps its own schedule. */
const BATCH_AGAIN_SECONDS = 5;

/** Of one tool in this process, of those that go alone although others go together. */
const ALONE_AT_ONCE = 4;

interface Tool {
  integration: IntegrationRow;
  connector: Connector;
}

/** A delivery that can share calls with others that need the same. */
interface Sharing {
  work: Work;
  change: Change;
}

/** @param works of one integration; never empty */
export async function deliverTogether(services: Services, works: readonly Work[]): Promise<Contact> {
  const [first] = works;
  if (first === undefined) return 'not_called';
  const ofCustomer = Map.groupBy(works, ({ choice }) => choice.customer_id);
  const firsts = [...ofCustomer.values()].flatMap(([one]) => one ?? []);
  const place = { siteId: first.choice.site_id, integrationId: first.action.integration_id ?? '' };
  const turns = firsts.map(({ choice, run }) => ({ customerId: choice.customer_id, run }));
  const contact = await inTurns(services, place, turns, async (ours) => {
    const [own, others] = parted(firsts, ({ choice }) => ours.has(choice.customer_id));
    for (const work of others) await reschedule(services, work, BUSY_SECONDS);
    return own.length === 0 ? 'not_called' : bringTogether(services, own);
  });
  // Further ones of the same customers begin when the first are done.
  for (const [, ...later] of ofCustomer.values()) {
    for (const work of later) await attempt(services, work, () => bringTool(services, work));
  }
  return contact;
}

function parted<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}

/** Whoever leaves, or is blocked, comes first: a limit that is used up keeps the others waiting. */
function isOptOut(change: Change): boolean {
  if (change.type === 'switch_email') return false;
  return change.on === (change.type === 'global_unsubscribe' || change.type === 'suppression_group');
}

/** For customers whose turns are held. */
async function bringTogether(services: Services, works: readonly Work[]): Promise<Contact> {
  const { tool, sharing, alone } = await prepare(services, works);
  let contact: Contact = 'not_called';
  const batches = [...Map.groupBy(sharing, ({ change }) => keyOf(change)).values()];
  const [first, last] = parted(batches, ([one]) => one !== undefined && isOptOut(one.change));
  if (tool !== null) {
    for (const batch of [...first, ...last].flatMap((all) => inBatches(tool, all))) {
      contact = await bringBatch(services, tool, batch);
    }
  }
  const contacts = await Promise.all(
    alone.map((work) =>
      atMost(ALONE_AT_ONCE, work.action.integration_id ?? '', () => bringAlone(services, work)),
    ),
  );
  return contacts.find((one) => one !== null) ?? contact;
}

/** The same change, whoever it is for. */
function keyOf({ email: _, ...change }: Change): string {
  return JSON.stringify(change);
}

function inBatches({ connector }: Tool, all: readonly Sharing[]): Sharing[][] {
  const [first] = all;
  if (first === undefined) return [];
  const size = batchSizeFor({ connector, changes: [first.change] });
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

async function bringAlone(services: Services, work: Work): Promise<Contact | null> {
  const carried = await attempt(services, work, () => bringNow(services, work));
  return carried.kind === 'attempted' ? contactOf(carried) : null;
}

/** What each is to bring about, as the customers are now. While something is wrong with the tool, each goes alone. */
async function prepare(
  services: Services,
  works: readonly Work[],
): Promise<{ tool: Tool | null; sharing: Sharing[]; alone: Work[] }> {
  const [{ choice, action }] = works as [Work];
  const ids = works.map((work) => work.choice.customer_id);
  const [integration, customers, subscriptions] = await services.database.readSite(choice.site_id, (site) =>
    Promise.all([
      findIntegration(site, action.integration_id ?? ''),
      customersByIds(site, ids),
      subscriptionsOfMany(site, ids),
    ]),
  );
  if (integration === undefined || !isWell(integration))
    return { tool: null, sharing: [], alone: [...works] };
  const tool = { integration, connector: connectorOf(integration) };
  const customerOf = new Map(customers.map((customer) => [customer.id, customer]));
  const subscriptionsOf = Map.groupBy(subscriptions, (one) => one.customer_id);
  const sharing: Sharing[] = [];
  const alone: Work[] = [];
  for (const work of works) {
    const { customer_id: id, events } = work.choice;
    const customer = customerOf.get(id);
    const isPlain = customer?.merged_into === null && !events.includes('email_changed');
    const email = customer?.email ?? null;
    const changes =
      isPlain && email !== null
        ? changesFor(
            tool.connector,
            work.action,
            occasionFor(work.choice, { ...customer, email }, subscriptionsOf.get(id) ?? [], null),
          )
        : [];
    const [change] = changes;
    if (change !== undefined && batchSizeFor({ connector: tool.connector, changes }) > 1) {
      sharing.push({ work, change });
    } else alone.push(work);
  }
  return { tool, sharing, alone };
}

function isWell({ status, rests_until, failing_since }: IntegrationRow): boolean {
  return status === 'connected' && rests_until === null && failing_since === null;
}

/** What was seen of the calls of a batch. */
interface Calls {
  count: number;
  last: MadeCall | null;
  lastWrite: MadeCall | null;
}

async function bringBatch(services: Services, tool: Tool, batch: readonly Sharing[]): Promise<Contact> {
  const [first] = batch;
  if (first === undefined) return 'not_called';
  if (batch.length === 1) return (await bringAlone(services, first.work)) ?? 'not_called';
  const begun = begin(services);
  const calls: Calls = { count: 0, last: null, lastWrite: null };
  const api = openLine(services, tool, batch, calls);
  try {
    const outcomes = await applyMany(tool, api, batch);
    const taken = batch.filter((_, index) => outcomes[index] === null);
    const states = await statesOf(tool, api, taken, calls);
    await recordTaken(services, taken, { states, calls, timing: begun() });
    noteCalls(tool.integration.id, calls.count / batch.length);
    await recordRefused(services, batch, { outcomes, calls, timing: begun() });
    return 'answered';
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    return bringAfterFailure(services, { tool, batch, calls, error, timing: begun() });
  }
}

function openLine(
  services: Services,
  { integration, connector }: Tool,
  batch: readonly Sharing[],
  calls: Calls,
) {
  const onCall = (call: MadeCall) => {
    calls.count += 1;
    calls.last = call;
    if (writes(call)) calls.lastWrite = call;
  };
  const wroteSince = async (since: Date) => {
    for (const { work } of batch) {
      const { site_id: siteId, customer_id: customerId } = work.choice;
      const was = await services.database.readSite(siteId, (site) =>
        wasWrittenSince(site, customerId, { integrationId: integration.id, since }),
      );
      if (was) return true;
    }
    return false;
  };
  return toolClientFor(services, connector, integration, { onCall, wroteSince, purpose: 'delivery' }).api;
}

type Line = ReturnType<typeof openLine>;

async function applyMany({ connector }: Tool, api: Line, batch: readonly Sharing[]) {
  const changes = batch.map(({ change }) => change);
  return (await connector.applyMany?.(api, changes)) ?? [];
}

/** What the tool believes of each; null where it could not be asked: it is looked for later. */
async function statesOf(
  { connector }: Tool,
  api: Line,
  taken: readonly Sharing[],
  calls: Calls,
): Promise<readonly Attempted['seen'][]> {
  const hasWritten = calls.lastWrite !== null;
  if (connector.stateMany === undefined) {
    return Promise.all(taken.map(({ change }) => seenIn(connector, api, [change], hasWritten)));
  }
  try {
    const emails = taken.map(({ change }) => change.email);
    const states: readonly ToolState[] = emails.length === 0 ? [] : await connector.stateMany(api, emails);
    return taken.map(({ change }, index) => {
      const state = states[index];
      return state === undefined ? 'not_asked' : seenOf([change], state, hasWritten);
    });
  } catch (error) {
    if (error instanceof ConnectorError) return taken.map(() => 'not_asked');
    throw error;
  }
}

async function recordTaken(
  services: Services,
  taken: readonly Sharing[],
  { states, calls, timing }: { states: readonly Attempted['seen'][]; calls: Calls; timing: Timing },
): Promise<void> {
  const [first] = taken;
  if (first === undefined) return;
  const arrivals = taken.map(({ work, change }, index) => {
    const carried: Attempted = {
      kind: 'attempted',
      ...describedShare(calls.lastWrite ?? calls.last, change, taken.length),
      outcome: 'arrived',
      error: null,
      retryAfterSeconds: null,
      isFinal: false,
      seen: states[index] ?? 'not_asked',
    };
    services.figures.counter(ATTEMPTS).inc({ type: work.action.type, outcome: 'arrived' });
    return arrivalOf(services, work, carried, timing);
  });
  await recordArrived(services, first.work, arrivals);
}

/** What one person had of a call that carried many: nothing about the others is kept with them. */
function describedShare(call: MadeCall | null, change: Change, people: number) {
  const { request, response } = describedCall(call);
  return {
    request: { ...request, body: JSON.stringify({ ...change, people_in_this_call: people }) },
    response: response && { ...response, body: '' },
  };
}

function failed(error: ConnectorError, calls: Calls): Attempted {
  const { request, response } = describedCall(calls.last);
  return {
    kind: 'attempted',
    request: { ...request, body: '' },
    response: response && { ...response, body: '' },
    outcome: error.kind,
    error: error.message,
    retryAfterSeconds: error.retryAfterSeconds,
    isFinal: error.kind === 'refused' || error.kind === 'not_found',
    seen: 'not_asked',
  };
}

/** What a tool says of a person is theirs; what says something about the tool is kept once. */
async function recordRefused(
  services: Services,
  batch: readonly Sharing[],
  { outcomes, calls, timing }: { outcomes: readonly (ConnectorError | null)[]; calls: Calls; timing: Timing },
): Promise<void> {
  let isToolNoted = false;
  for (const [index, { work }] of batch.entries()) {
    const error = outcomes[index] ?? null;
    if (error === null) continue;
    const isTheirs = error.kind === 'refused' || error.kind === 'not_found';
    if (isTheirs || !isToolNoted) await record(services, work, failed(error, calls), timing);
    else await reschedule(services, work, error.retryAfterSeconds ?? BATCH_AGAIN_SECONDS);
    isToolNoted ||= !isTheirs;
  }
}

/** After an error of the batch as a whole. */
async function bringAfterFailure(
  services: Services,
  {
    tool,
    batch,
    calls,
    error,
    timing,
  }: {
    tool: Tool;
    batch: readonly Sharing[];
    calls: Calls;
    error: ConnectorError;
    timing: Timing;
  },
): Promise<Contact> {
  const works = batch.map(({ work }) => work);
  if (calls.count === 0 && error.kind === 'rate_limited') {
    const seconds =
      error instanceof RateLimitReached
        ? (await comeAgain(services, tool.integration, tool.connector)).seconds
        : (error.retryAfterSeconds ?? BUSY_SECONDS);
    for (const work of works) await reschedule(services, work, seconds);
    return 'not_called';
  }
  // Whom it is about is told by asking for each.
  if (error.kind === 'refused' || error.kind === 'not_found') {
    for (const work of works) await bringAlone(services, work);
    return 'answered';
  }
  // It says something about the tool, once, and nothing about the people.
  const [first, ...others] = works;
  if (first !== undefined) await record(services, first, failed(error, calls), timing);
  for (const work of others) {
    await reschedule(services, work, error.retryAfterSeconds ?? BATCH_AGAIN_SECONDS);
  }
  return error.kind === 'unavailable' && calls.last?.status === null ? 'silent' : 'answered';
}
