import { isTestEmail, testRulesOf } from '#server/accounts/sites/test-rules.ts';
import { type CustomerRow, findCustomer, subscriptionsOf } from '#server/audience/customers/customers.ts';
import { emailBeforeChoice, decryptPerson } from '#server/audience/evidence/evidence.ts';
import {
  type Change,
  type Connector,
  ConnectorError,
  type ToolApi,
  type ToolState,
} from '#server/connectors/connector.ts';
import type { MadeCall } from '#server/connectors/tool-api.ts';
import { recordBatchSize } from '#server/delivery/deliveries/batch-sizes.ts';
import {
  type CompletedAttempt,
  type AttemptResult,
  truncatedResponse,
  NO_CALL,
  type Confirmation,
  type SkipReason,
  type Work,
} from '#server/delivery/deliveries/attempt-result.ts';
import { wasWrittenSince } from '#server/delivery/deliveries/deliveries.sql.ts';
import { secondsUntilRetry } from '#server/delivery/deliveries/circuit-breaker.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { RateLimitReached, toolClientFor } from '#server/tools/clients/tool-client.ts';
import { reserveToolSlot } from '#server/tools/clients/reservations.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
} from '#server/tools/integrations/integrations.ts';
import { actionsOf } from '#server/delivery/actions/actions.ts';
import { isTargetGone, requireTarget, TargetGone } from '#server/delivery/actions/gone-targets.ts';
import {
  changesFor,
  confirms,
  desiredInTool,
  withoutDisputed,
  askedOfTools,
  wasAlreadyInSync,
  isAwaited,
  isRaising,
  requestedChangeOf,
  type ChangeContext,
} from './tool-changes.ts';
import { applyAll } from './apply-changes.ts';
import { consentOf } from './consent.ts';
import { formerEmailsOf } from './former-emails.ts';
import { effectOf, isWrite, recordsEffect, StandingWatch } from './tool-effects.ts';
import { withoutUntouched } from './undone-effects.ts';
import { withCustomerLease } from './customer-leases.ts';
import { estimatedCalls } from './call-estimates.ts';

export const BUSY_SECONDS = 2;

const SWITCHED_OFF: CompletedAttempt = {
  kind: 'attempted',
  request: NO_CALL,
  outcome: 'unavailable',
  response: null,
  error: 'The integration is off. Reconnect it, then send this delivery again.',
  retryAfterSeconds: null,
  isFinal: true,
  confirmation: 'not_asked',
  isToolOff: true,
};

/** What a sync in a tool needs to know of a delivery. */
type ToolWork = Pick<Work, 'action' | 'choice' | 'run'>;

/**
 * Syncs a tool to the customer's present state. However often, late or out of order it runs, the tool ends in the
 * customer's state.
 */
export async function syncCustomerToTool(services: Services, work: ToolWork): Promise<AttemptResult> {
  const { action, choice, run } = work;
  const place = {
    siteId: choice.site_id,
    integrationId: action.integration_id ?? '',
    customerId: choice.customer_id,
    run,
  };
  const result = await withCustomerLease(services, place, () => syncWithLease(services, work));
  return result ?? { kind: 'postponed', seconds: BUSY_SECONDS };
}

/** Requires the customer's lease. */
export async function syncWithLease(services: Services, work: Omit<ToolWork, 'run'>): Promise<AttemptResult> {
  const desired = await desiredStateOf(services, work);
  if (typeof desired === 'string') return { kind: 'nothing', why: desired };
  if (desired.integration.status === 'switched_off') return SWITCHED_OFF;
  if (desired.changes.length === 0) return { kind: 'nothing', why: 'overtaken' };
  const left = await withoutUntouched(services, work, desired);
  if (typeof left === 'number') return { kind: 'postponed', seconds: left };
  if (left.length === 0) return { kind: 'nothing', why: 'untouched' };
  // Only what calls the tool may be the probe of one that fails.
  const seconds = await secondsUntilRetry(services, desired.integration);
  if (seconds !== null) return { kind: 'postponed', seconds };
  recordBatchSize(desired.integration.id, batchSizeFor(desired));
  return applyChanges(services, desired, work);
}

/** How many customers can share a batch with this change. */
export function batchSizeFor({ connector, changes }: Pick<DesiredState, 'connector' | 'changes'>): number {
  const [change] = changes;
  if (change === undefined || changes.length > 1 || connector.applyMany === undefined) return 1;
  return connector.batchSize?.(change) ?? 1;
}

/** What the tool should show for the customer as they are now. */
export interface DesiredState {
  integration: IntegrationRow;
  connector: Connector;
  /** Empty if the choice has been superseded. */
  changes: readonly Change[];
  /** All that they chose, after a move: what came along with it may be something else. Else empty. */
  afterMove: readonly Change[];
  /** They asked for more: a tool that shows the change and sends them nothing has not done it. */
  isForMore: boolean;
}

/** @returns the reason instead, if the tool was disconnected, the customer erased, or is a test customer */
export async function desiredStateOf(
  services: Services,
  { action, choice }: Pick<Work, 'action' | 'choice'>,
): Promise<DesiredState | Exclude<SkipReason, 'overtaken' | 'untouched'>> {
  const { integration, occasion: context } = await services.database.readSite(
    choice.site_id,
    async (site) => ({
      integration: await findIntegration(site, action.integration_id ?? ''),
      occasion: await readChangeContext(services, site, { action, choice }),
    }),
  );
  if (context === null) return 'erased';
  if (isTestEmail(await testRulesOf(services, choice.site_id), context.email)) return 'test';
  if (integration === undefined) return 'disconnected';
  const connector = connectorOf(integration);
  const rules = await actionsInTool(services, action);
  const changes = withoutDisputed(connector, rules, changesFor(connector, action, context), context);
  const isMove = changes.some(({ type }) => type === 'switch_email');
  const afterMove = isMove ? desiredInTool(connector, rules, context) : [];
  const isForMore = asksForMore(action) || afterMove.some(isRaising);
  return { integration, connector, changes, afterMove, isForMore };
}

/** Is the action for people who want more? */
export const asksForMore = ({ event }: Pick<Work['action'], 'event'>): boolean =>
  event === 'subscribed' || event === 'global_resubscribed';

/** The enabled actions of a tool. */
export async function actionsInTool(
  services: Services,
  { site_id: siteId, integration_id: id }: Pick<Work['action'], 'site_id' | 'integration_id'>,
) {
  const actions = await actionsOf(services, siteId);
  return actions.filter((one) => one.enabled && one.integration_id === id);
}

/** null if the customer was erased */
async function readChangeContext(
  services: Services,
  site: SiteDb,
  { action, choice }: Pick<Work, 'action' | 'choice'>,
): Promise<ChangeContext | null> {
  const customer = await findCustomer(site, choice.customer_id);
  if (customer === undefined || customer.email === null) return null;
  const [subscriptions, former] = await Promise.all([
    subscriptionsOf(site, customer.id),
    formerEmailsOf(services, site, action.integration_id ?? '', [customer.id]),
  ]);
  const before = choice.events.includes('email_changed')
    ? await emailBeforeChoice(site, customer.id, choice.sequence)
    : undefined;
  const previousEmail =
    before === undefined ? null : (decryptPerson(services.keyring, before)?.email ?? null);
  const emails = { previousEmail, formerEmails: former.get(customer.id) ?? [] };
  return changeContextFor(choice, { ...customer, email: customer.email }, subscriptions, emails);
}

export function changeContextFor(
  choice: Work['choice'],
  customer: CustomerRow & { email: string },
  subscriptions: readonly { list_id: string; subscribed: boolean }[],
  emails: Pick<ChangeContext, 'previousEmail' | 'formerEmails'>,
): ChangeContext {
  return {
    email: customer.email,
    ...emails,
    now: {
      globalUnsubscribe: customer.global_unsubscribe,
      pausedUntil: customer.paused_until,
      subscriptions: new Map(subscriptions.map((one) => [one.list_id, one.subscribed])),
    },
    ...askedOfTools(choice),
    consent: consentOf(choice),
  };
}

/** What is stored of the changes that an attempt asked for. */
export function requestedBy(
  changes: readonly Change[],
  confirmation: Confirmation,
): NonNullable<CompletedAttempt['changes']> {
  const shown = confirmation === 'there' ? true : null;
  // Of several, it is not known which one the tool does not show.
  const isMissing = confirmation === 'elsewhere' && changes.length === 1;
  return changes.map((change) => ({ ...requestedChangeOf(change), shown: isMissing ? false : shown }));
}

async function applyChanges(
  services: Services,
  { integration, connector, changes, afterMove, isForMore }: DesiredState,
  { choice }: Pick<Work, 'choice'>,
): Promise<AttemptResult> {
  const { site_id: siteId, customer_id: customerId } = choice;
  const [first] = changes as [Change];
  let last: MadeCall | null = null;
  let written: MadeCall | null = null;
  let calls = 0;
  const standing = new StandingWatch();
  const effect = () => (recordsEffect(choice) ? effectOf(first, standing.wasSo(first)) : null);
  const described = () => describeCall(last);
  /** Without the calls that only look. */
  let made: ReturnType<typeof described> | null = null;
  try {
    const onCall = (call: MadeCall) => {
      last = call;
      if (isWrite(call)) written = call;
      calls += 1;
      standing.noteCall(call);
    };
    const wroteSince: ToolApi['wroteSince'] = (since, which) =>
      services.database.readSite(siteId, (site) =>
        wasWrittenSince(site, [customerId], { ...which, integrationId: integration.id, since }),
      );
    const use = { onCall, wroteSince, found: standing.found, purpose: 'delivery' } as const;
    const { api } = toolClientFor(services, connector, integration, use);
    if (recordsEffect(choice)) await standing.readFirst(connector, api, first);
    try {
      await applyAll(connector, api, changes);
    } catch (error) {
      made = described();
      throw await explained(connector, api, first, error);
    }
    made = describeCall(written ?? last);
    if (!standing.hasTaken) await requireTarget(connector, api, first);
    const read = () =>
      readConfirmation(connector, api, [...changes, ...afterMove], {
        hasWritten: standing.hasWritten,
        isForMore,
      });
    let confirmation = await read();
    const isOther = confirmation !== 'there' && confirmation !== 'absent';
    if (afterMove.length > 0 && isOther) {
      await applyAll(connector, api, afterMove);
      confirmation = await read();
    }
    return {
      kind: 'attempted',
      ...made,
      outcome: 'arrived',
      error: null,
      retryAfterSeconds: null,
      isFinal: false,
      confirmation,
      changes: requestedBy(changes, confirmation),
      effect: effect(),
      calls,
    };
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    if (error instanceof RateLimitReached && calls === 0)
      return postponeToNextSlot(services, integration, connector, error);
    // Nothing was sent, because the tokens are being renewed.
    if (error.kind === 'rate_limited' && calls === 0) {
      return { kind: 'postponed', seconds: error.retryAfterSeconds ?? BUSY_SECONDS };
    }
    return {
      kind: 'attempted',
      ...(made ?? described()),
      outcome: error.kind,
      error: error.message,
      retryAfterSeconds: error.retryAfterSeconds,
      isFinal: error.isFinal,
      confirmation: 'not_asked',
      ...(error instanceof TargetGone ? { isTargetGone: true } : {}),
      changes: requestedBy(changes, 'not_asked'),
      // A write that failed may have arrived all the same.
      effect: standing.hasWritten ? effect() : null,
      calls,
    };
  }
}

/** A change that the tool won't make may be about something that it no longer has. */
async function explained(
  connector: Connector,
  api: ToolApi,
  change: Change,
  error: unknown,
): Promise<unknown> {
  const isAboutIt = error instanceof ConnectorError && error.isFinal;
  return isAboutIt && (await isTargetGone(connector, api, change))
    ? new TargetGone(connector, change)
    : error;
}

/** What a reading has to know of the attempt before it. */
interface ReadingOf {
  /** Something was written, which the tool may show only later. */
  hasWritten: boolean;
  /** See `DesiredState`. */
  isForMore: boolean;
}

/** Compares the changes with what the tool shows. */
export function confirmationOf(
  changes: readonly Change[],
  state: ToolState,
  { hasWritten, isForMore }: ReadingOf,
): Confirmation {
  if (wasAlreadyInSync(changes, state, hasWritten)) return 'absent';
  const told = changes.map((change) => confirms(change, state));
  const missing = changes.filter((_, index) => told[index] === false);
  if (missing.length > 0)
    return missing.every((change) => isAwaited(change, state)) ? 'awaited' : 'elsewhere';
  if (isForMore && state.unsubscribed === true) return 'blocked';
  return told.includes(null) ? 'unsaid' : 'there';
}

/** The part of a call that is stored, without credentials. */
export function describeCall(call: MadeCall | null): Pick<CompletedAttempt, 'request' | 'response'> {
  return {
    request: call === null ? NO_CALL : { ...call.request, headers: {} },
    response: call === null || call.status === null ? null : truncatedResponse(call.status, call.text),
  };
}

/**
 * Reserves a separate time for each delivery, so that they do not all retry at once.
 * @param reached the limit, where it is known
 */
export async function postponeToNextSlot(
  services: Services,
  integration: IntegrationRow,
  connector: Connector,
  reached?: RateLimitReached,
): Promise<Extract<AttemptResult, { kind: 'postponed' }>> {
  const at = await reserveToolSlot(services, connector, integration, {
    calls: estimatedCalls(integration.id),
    intervalMs: reached?.intervalMs,
  });
  return { kind: 'postponed', seconds: (at.getTime() - services.clock.now().getTime()) / 1000 };
}

/** The one that says least of several people's, or addresses'. */
const LEAST_FIRST: readonly Confirmation[] = [
  'not_asked',
  'elsewhere',
  'awaited',
  'blocked',
  'unsaid',
  'there',
  'absent',
];

/** Reads the changes back, at each address. A failed read undoes nothing: the changes have arrived. */
export async function readConfirmation(
  connector: Connector,
  api: ToolApi,
  changes: readonly Change[],
  reading: ReadingOf,
): Promise<Confirmation> {
  const told: Confirmation[] = [];
  try {
    for (const [email, own] of Map.groupBy(changes, (change) => change.email)) {
      told.push(confirmationOf(own, await connector.state(api, email), reading));
    }
  } catch (error) {
    if (error instanceof ConnectorError) return 'not_asked';
    throw error;
  }
  return LEAST_FIRST.find((one) => told.includes(one)) ?? 'not_asked';
}
