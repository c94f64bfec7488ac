import { type CustomerRow, findCustomer, subscriptionsOf } from '#server/audience/customers/customers.ts';
import { emailBeforeChoice, openPerson } from '#server/audience/evidence/evidence.ts';
import {
  type Change,
  type Connector,
  ConnectorError,
  type ToolApi,
  type ToolState,
} from '#server/connectors/connector.ts';
import type { MadeCall } from '#server/connectors/tool-api.ts';
import { noteBatchSize } from '#server/delivery/deliveries/batch-sizes.ts';
import {
  type Attempted,
  type Carried,
  keptResponse,
  NO_CALL,
  type Seen,
  type Why,
  type Work,
} from '#server/delivery/deliveries/carried.ts';
import { wasWrittenSince } from '#server/delivery/deliveries/deliveries.sql.ts';
import { secondsToRest } from '#server/delivery/deliveries/tool-health.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { RateLimitReached, toolClientFor } from '#server/tools/clients/tool-client.ts';
import { reserveToolSlot } from '#server/tools/clients/reservations.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
} from '#server/tools/integrations/integrations.ts';
import { changesFor, confirms, hadNothingToDo, type Occasion } from './tool-changes.ts';
import { inTurn } from './tool-turns.ts';
import { usualCalls } from './usual-calls.ts';

export const BUSY_SECONDS = 2;

const SWITCHED_OFF: Attempted = {
  kind: 'attempted',
  request: NO_CALL,
  outcome: 'unavailable',
  response: null,
  error: 'The integration is switched off; mend it, then replay this delivery.',
  retryAfterSeconds: null,
  isFinal: true,
  seen: 'not_asked',
  isToolOff: true,
};

/**
 * Brings a tool to the customer's present state: however often, late or out of order it runs, the tool ends where the
 * customer is.
 */
export async function bringTool(services: Services, work: Work): Promise<Carried> {
  const { action, choice, run } = work;
  const place = {
    siteId: choice.site_id,
    integrationId: action.integration_id ?? '',
    customerId: choice.customer_id,
    run,
  };
  const carried = await inTurn(services, place, () => bringNow(services, work));
  return carried ?? { kind: 'postponed', seconds: BUSY_SECONDS };
}

/** The same for who has the customer's turn. */
export async function bringNow(services: Services, work: Work): Promise<Carried> {
  const intention = await intentionOf(services, work);
  if (typeof intention === 'string') return { kind: 'nothing', why: intention };
  if (intention.integration.status === 'switched_off') return SWITCHED_OFF;
  const seconds = await secondsToRest(services, intention.integration);
  if (seconds !== null) return { kind: 'postponed', seconds };
  if (intention.changes.length === 0) return { kind: 'nothing', why: 'overtaken' };
  noteBatchSize(intention.integration.id, batchSizeFor(intention));
  return carry(services, intention, work);
}

/** How many people's deliveries like this one can go together. */
export function batchSizeFor({ connector, changes }: Pick<Intention, 'connector' | 'changes'>): number {
  const [change] = changes;
  if (change === undefined || changes.length > 1 || connector.applyMany === undefined) return 1;
  return connector.batchSize?.(change) ?? 1;
}

/** What a delivery is to bring about, as the customer is now. */
export interface Intention {
  integration: IntegrationRow;
  connector: Connector;
  /** None: what it was about has changed since. */
  changes: readonly Change[];
}

/** @returns why there is none, where the tool was disconnected or the person erased */
export async function intentionOf(
  services: Services,
  { action, choice }: Pick<Work, 'action' | 'choice'>,
): Promise<Intention | Exclude<Why, 'overtaken'>> {
  const { integration, occasion } = await services.database.readSite(choice.site_id, async (site) => ({
    integration: await findIntegration(site, action.integration_id ?? ''),
    occasion: await occasionOf(services, site, choice),
  }));
  if (occasion === null) return 'erased';
  if (integration === undefined) return 'disconnected';
  const connector = connectorOf(integration);
  return { integration, connector, changes: changesFor(connector, action, occasion) };
}

/** null for somebody who was erased */
async function occasionOf(
  { keyring }: Services,
  site: SiteDb,
  choice: Work['choice'],
): Promise<Occasion | null> {
  const customer = await findCustomer(site, choice.customer_id);
  if (customer === undefined || customer.email === null) return null;
  const subscriptions = await subscriptionsOf(site, customer.id);
  const before = choice.events.includes('email_changed')
    ? await emailBeforeChoice(site, customer.id, choice.sequence)
    : undefined;
  const previousEmail = before === undefined ? null : (openPerson(keyring, before)?.email ?? null);
  return occasionFor(choice, { ...customer, email: customer.email }, subscriptions, previousEmail);
}

export function occasionFor(
  choice: Work['choice'],
  customer: CustomerRow & { email: string },
  subscriptions: readonly { list_id: string; subscribed: boolean }[],
  previousEmail: string | null,
): Occasion {
  return {
    email: customer.email,
    previousEmail,
    now: {
      globalUnsubscribe: customer.global_unsubscribe,
      pausedUntil: customer.paused_until,
      subscriptions: new Map(subscriptions.map((one) => [one.list_id, one.subscribed])),
    },
    listIds: choice.lists.map(({ list_id }) => list_id),
  };
}

async function carry(
  services: Services,
  { integration, connector, changes }: Intention,
  { choice: { site_id: siteId, customer_id: customerId } }: Work,
): Promise<Carried> {
  let last: MadeCall | null = null;
  let calls = 0;
  let hasWritten = false;
  const described = () => describedCall(last);
  try {
    const onCall = (call: MadeCall) => {
      last = call;
      calls += 1;
      hasWritten ||= writes(call);
    };
    const wroteSince = (since: Date) =>
      services.database.readSite(siteId, (site) =>
        wasWrittenSince(site, customerId, { integrationId: integration.id, since }),
      );
    const use = { onCall, wroteSince, purpose: 'delivery' } as const;
    const { api } = toolClientFor(services, connector, integration, use);
    for (const change of changes) await connector.apply(api, change);
    const made = described();
    const seen = await seenIn(connector, api, changes, hasWritten);
    return {
      kind: 'attempted',
      ...made,
      outcome: 'arrived',
      error: null,
      retryAfterSeconds: null,
      isFinal: false,
      seen,
      calls,
    };
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    if (error instanceof RateLimitReached && calls === 0) return comeAgain(services, integration, connector);
    // Nothing was sent: its tokens are being renewed.
    if (error.kind === 'rate_limited' && calls === 0) {
      return { kind: 'postponed', seconds: error.retryAfterSeconds ?? BUSY_SECONDS };
    }
    return {
      kind: 'attempted',
      ...described(),
      outcome: error.kind,
      error: error.message,
      retryAfterSeconds: error.retryAfterSeconds,
      // What the tool will never take is not offered again; a person may replay it.
      isFinal: error.kind === 'refused' || error.kind === 'not_found',
      seen: 'not_asked',
      calls,
    };
  }
}

/** Where a person is, by what the tool believes. */
export function seenOf(changes: readonly Change[], state: ToolState, hasWritten: boolean): Seen {
  if (hadNothingToDo(changes, state, hasWritten)) return 'absent';
  const told = changes.map((change) => confirms(change, state));
  if (told.includes(false)) return 'elsewhere';
  return told.includes(null) ? 'unsaid' : 'there';
}

/** What is kept of a call, without what lets us in. */
export function describedCall(call: MadeCall | null): Pick<Attempted, 'request' | 'response'> {
  return {
    request: call === null ? NO_CALL : { ...call.request, headers: {} },
    response: call === null || call.status === null ? null : keptResponse(call.status, call.text),
  };
}

/** Each at its own time, so that those who wait do not all ask again at once. */
export async function comeAgain(
  services: Services,
  integration: IntegrationRow,
  connector: Connector,
): Promise<Extract<Carried, { kind: 'postponed' }>> {
  const at = await reserveToolSlot(services, connector, integration, usualCalls(integration.id));
  return { kind: 'postponed', seconds: (at.getTime() - services.clock.now().getTime()) / 1000 };
}

/** Some tools are searched and read by POST; their paths say so. */
export const writes = ({ request }: MadeCall): boolean =>
  request.method !== 'GET' && !/\/(?:search|read)(?:\?|$)/.test(request.url);

/**
 * Asks the tool what it believes. A question that fails takes nothing back: the change has arrived.
 * @param hasWritten something was told to the tool, which may show it only later
 */
export async function seenIn(
  connector: Connector,
  api: ToolApi,
  changes: readonly Change[],
  hasWritten: boolean,
): Promise<Seen> {
  const [{ email }] = changes as [Change];
  try {
    return seenOf(changes, await connector.state(api, email), hasWritten);
  } catch (error) {
    if (error instanceof ConnectorError) return 'not_asked';
    throw error;
  }
}
