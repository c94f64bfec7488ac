import { type Change, type Connector, ConnectorError, type ToolApi } from '#server/connectors/connector.ts';
import type { MadeCall } from '#server/connectors/tool-api.ts';
import { emailBeforeChoice } from '#server/features/choices/choices.sql.ts';
import { openPerson } from '#server/features/choices/evidence.ts';
import { findCustomer, subscriptionsOf } from '#server/features/customers/customers.sql.ts';
import { connectorOf } from '#server/features/integrations/integrations.ts';
import { findIntegration, type IntegrationRow } from '#server/features/integrations/integrations.sql.ts';
import { lineOf } from '#server/features/integrations/tool-line.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { type Attempted, type Carried, keptResponse, type Work } from './carried.ts';
import { changesFor, confirms, type Occasion } from './tool-changes.ts';
import { giveTurnBack, takeTurn } from './tool-turns.sql.ts';

/** Longer than all calls of one change; a worker that was killed gives its turn back by then. */
const TURN_SECONDS = 120;
const BUSY_SECONDS = 2;

const NO_CALL: Attempted['request'] = { method: '', url: '', headers: {}, body: '' };

const SWITCHED_OFF: Attempted = {
  kind: 'attempted',
  request: NO_CALL,
  outcome: 'unavailable',
  response: null,
  error: 'The integration is switched off; mend it, then replay this delivery.',
  retryAfterSeconds: null,
  isFinal: true,
  isConfirmed: false,
};

/**
 * Brings a tool to the customer's present state: however often, late or out of order it runs, the tool ends where the
 * customer is. Two deliveries of one customer to one integration never run at the same time.
 */
export async function bringTool(services: Services, siteId: string, work: Work): Promise<Carried> {
  const { action, choice, delivery } = work;
  const integrationId = action.integration_id ?? '';
  const turn = { integrationId, customerId: choice.customer_id, deliveryId: delivery.id };
  const now = services.clock.now();
  const until = new Date(now.getTime() + TURN_SECONDS * 1000);
  const isOurs = await services.database.inSite(siteId, (site) => takeTurn(site, turn, { now, until }));
  if (!isOurs) return { kind: 'postponed', seconds: BUSY_SECONDS };
  try {
    return await bringNow(services, siteId, work, integrationId);
  } finally {
    await services.database.inSite(siteId, (site) => giveTurnBack(site, turn));
  }
}

async function bringNow(
  services: Services,
  siteId: string,
  { action, choice }: Work,
  integrationId: string,
): Promise<Carried> {
  const { integration, occasion } = await services.database.readSite(siteId, async (site) => ({
    integration: await findIntegration(site, integrationId),
    occasion: await occasionOf(services, site, choice),
  }));
  if (integration === undefined || occasion === null) return { kind: 'nothing' };
  if (integration.status === 'switched_off') return SWITCHED_OFF;
  const connector = connectorOf(integration);
  const changes = changesFor(connector, action, occasion);
  return changes.length === 0 ? { kind: 'nothing' } : carry(services, integration, connector, changes);
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
  return {
    email: customer.email,
    previousEmail: before === undefined ? null : (openPerson(keyring, before)?.email ?? null),
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
  integration: IntegrationRow,
  connector: Connector,
  changes: readonly Change[],
): Promise<Carried> {
  let last: MadeCall | null = null;
  const described = (): Pick<Attempted, 'request' | 'response'> => ({
    request: last === null ? NO_CALL : { ...last.request, headers: {} },
    response: last === null || last.status === null ? null : keptResponse(last.status, last.text),
  });
  try {
    const onCall = (call: MadeCall) => {
      last = call;
    };
    const { line } = lineOf(services, connector, integration, { onCall });
    for (const change of changes) await connector.apply(line, change);
    const made = described();
    const isConfirmed = await isThere(connector, line, changes);
    return {
      kind: 'attempted',
      ...made,
      outcome: 'arrived',
      error: null,
      retryAfterSeconds: null,
      isFinal: false,
      isConfirmed,
    };
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    if (error.kind === 'rate_limited' && last === null) {
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
      isConfirmed: false,
    };
  }
}

/** Asks the tool what it believes. A question that fails takes nothing back: the change has arrived. */
async function isThere(connector: Connector, line: ToolApi, changes: readonly Change[]): Promise<boolean> {
  const [{ email }] = changes as [Change];
  try {
    const state = await connector.state(line, email);
    return changes.every((change) => confirms(change, state) === true);
  } catch (error) {
    if (error instanceof ConnectorError) return false;
    throw error;
  }
}
