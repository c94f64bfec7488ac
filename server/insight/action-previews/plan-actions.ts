import type { ActionPlan, NoCallsBecause } from '#contract/choice-previews.ts';
import type { ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import { type Change, type Connector, ConnectorError } from '#server/connectors/connector.ts';
import { redactor } from '#server/connectors/redact.ts';
import { type ActionRow, allActions } from '#server/delivery/actions/actions.ts';
import { actionsForDeclined } from '#server/delivery/actions/stops-in-tools.ts';
import { matchActions } from '#server/delivery/actions/matching.ts';
import { outboundMessageFor } from '#server/delivery/sending/dispatch.ts';
import { isHealthy, keyOf } from '#server/delivery/sending/tool-batch.ts';
import {
  askedOfTools,
  changesFor,
  requestedChangeOf,
  withoutDisputed,
} from '#server/delivery/sending/tool-changes.ts';
import { formerEmailsOf } from '#server/delivery/sending/former-emails.ts';
import { actionsInTool, batchSizeFor } from '#server/delivery/sending/tool-delivery.ts';
import { callsFor, callsForMany, type PlannedCalls } from '#server/delivery/sending/tool-preview.ts';
import { newId } from '#server/platform/ids.ts';
import type { OutboundRequest } from '#server/platform/outbound.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import { connectorOf, findIntegration } from '#server/tools/integrations/integrations.ts';

/** A choice that nobody has made, with the customer as they would be. */
export interface SimulatedChoice {
  choice: ReasonedChoiceRow;
  after: CustomerState;
  email: string;
  previousEmail: string | null;
}

/** Stands where a signature was: with it, anyone who sees a preview could send the message. */
const HIDDEN = '[hidden]';

type Outcome = Pick<ActionPlan, 'calls' | 'changes' | 'is_exact' | 'no_calls_because' | 'error'>;

function nothing(
  because: NoCallsBecause,
  more: { changes?: Outcome['changes']; error?: string } = {},
): Outcome {
  const { changes = [], error = null } = more;
  return { calls: [], changes, is_exact: because !== 'unreadable', no_calls_because: because, error };
}

/**
 * What each action of the site would send about some choices, made one after the other. Tools are read, and nothing is
 * written.
 * @param together the choices of others who choose the same at the same moment, and share calls with this customer
 * @returns for each choice the plans of all actions, those that send first
 */
export async function planActions(
  services: Services,
  siteId: string,
  simulated: readonly SimulatedChoice[],
  together: readonly SimulatedChoice[],
): Promise<ActionPlan[][]> {
  const actions = await services.database.readSite(siteId, allActions);
  // What a tool would be told before changes what it answers afterwards, so each tool is planned in order.
  const byReceiver = Map.groupBy(actions, ({ integration_id: id }) => id);
  const planned = await Promise.all(
    [...byReceiver.values()].map((group) => planInOrder(services, siteId, group, { simulated, together })),
  );
  return simulated.map((_, index) => {
    const plans = planned.flatMap((each) => each[index] ?? []);
    const isSent = (plan: ActionPlan) => plan.no_calls_because === null;
    return [...plans.filter(isSent), ...plans.filter((plan) => !isSent(plan))];
  });
}

async function planInOrder(
  services: Services,
  siteId: string,
  actions: readonly ActionRow[],
  { simulated, together }: { simulated: readonly SimulatedChoice[]; together: readonly SimulatedChoice[] },
): Promise<ActionPlan[][]> {
  const enabled = actions.filter((action) => action.enabled);
  let hasWritten = false;
  const plans: ActionPlan[][] = [];
  for (const about of simulated) {
    const ofChoice: ActionPlan[] = [];
    for (const action of actions) {
      const declines = actionsForDeclined(enabled, about.choice.lists, about.after).includes(action);
      const outcome = await planOf(services, siteId, action, { about, together, declines });
      const isSameAnyway = action.integration_id === null || !hasWritten || !mayDepend(outcome);
      ofChoice.push({
        action_id: action.id,
        name: action.name,
        type: action.type,
        event: action.event,
        integration_id: action.integration_id,
        ...outcome,
        is_exact: outcome.is_exact && isSameAnyway,
      });
      hasWritten ||= outcome.calls.length > 0;
    }
    plans.push(ofChoice);
  }
  return plans;
}

/** Was the tool read for it? */
function mayDepend({ no_calls_because: because }: Outcome): boolean {
  return because === null || because === 'already_so' || because === 'refused' || because === 'unreadable';
}

async function planOf(
  services: Services,
  siteId: string,
  action: ActionRow,
  {
    about,
    together,
    declines,
  }: { about: SimulatedChoice; together: readonly SimulatedChoice[]; declines: boolean },
): Promise<Outcome> {
  const { choice } = about;
  if (!declines) {
    if (!choice.events.includes(action.event)) return nothing('other_event');
    if (matchActions([action], choice).length === 0) return nothing('other_lists');
  }
  if (!action.enabled) return nothing('disabled');
  if (choice.is_test !== null) return nothing('test');
  if (action.integration_id !== null) return planInTool(services, siteId, action, { about, together });
  const { request } = await outboundMessageFor(services, { action, choice }, newId());
  const calls = [withoutSignature(request)];
  return { calls, changes: [], is_exact: true, no_calls_because: null, error: null };
}

function withoutSignature<R extends Pick<OutboundRequest, 'headers'>>(request: R): R {
  const headers = Object.entries(request.headers).map(([name, value]) => [
    name,
    name.toLowerCase() === 'webhook-signature' ? HIDDEN : value,
  ]);
  return { ...request, headers: Object.fromEntries(headers) as Record<string, string> };
}

async function planInTool(
  services: Services,
  siteId: string,
  action: ActionRow,
  { about, together }: { about: SimulatedChoice; together: readonly SimulatedChoice[] },
): Promise<Outcome> {
  const integrationId = action.integration_id ?? '';
  const customerId = about.choice.customer_id;
  const { integration, former } = await services.database.readSite(siteId, async (site) => ({
    integration: await findIntegration(site, integrationId),
    former: await formerEmailsOf(services, site, integrationId, [customerId]),
  }));
  if (integration === undefined) return nothing('disconnected');
  if (integration.status === 'switched_off') return nothing('tool_off');
  const connector = connectorOf(integration);
  const rules = await actionsInTool(services, action);
  const wantedOf = ({ choice, after: now, email, previousEmail }: SimulatedChoice): Change[] => {
    const formerEmails = former.get(choice.customer_id) ?? [];
    const context = { email, previousEmail, formerEmails, now, ...askedOfTools(choice) };
    return withoutDisputed(connector, rules, changesFor(connector, action, context), context);
  };
  const wanted = wantedOf(about);
  if (wanted.length === 0) return nothing('no_change');
  const changes = wanted.map(requestedChangeOf);
  let planned: PlannedCalls;
  let hide: (text: string) => string;
  try {
    const { api, baseUrl, known } = toolClientFor(services, connector, integration);
    hide = redactor(connector, known, {});
    const shared = isHealthy(integration)
      ? sharedChanges(connector, action, { about, together, wantedOf })
      : [];
    planned =
      shared.length > 1
        ? await callsForMany(connector, shared, api, baseUrl)
        : await callsFor(connector, wanted, api, baseUrl);
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    const isRefused = error.isAboutChange;
    return nothing(isRefused ? 'refused' : 'unreadable', { changes, error: error.message });
  }
  if (planned.calls.length === 0) return nothing('already_so', { changes });
  const calls = planned.calls.map((call) => ({ ...call, url: hide(call.url), body: hide(call.body) }));
  return { calls, changes, is_exact: planned.isWhole, no_calls_because: null, error: null };
}

/** The changes that go in one call, as `deliverBatch` puts them together: this customer's first. */
function sharedChanges(
  connector: Connector,
  action: ActionRow,
  {
    about,
    together,
    wantedOf,
  }: {
    about: SimulatedChoice;
    together: readonly SimulatedChoice[];
    wantedOf: (one: SimulatedChoice) => Change[];
  },
): Change[] {
  const sharableOf = (one: SimulatedChoice): Change[] => {
    const { choice } = one;
    const isSent = choice.is_test === null && matchActions([action], choice).length > 0;
    if (!isSent || choice.events.includes('email_changed')) return [];
    const changes = wantedOf(one);
    return batchSizeFor({ connector, changes }) > 1 ? changes : [];
  };
  const [own] = sharableOf(about);
  if (own === undefined) return [];
  const others = together.flatMap(sharableOf).filter((change) => keyOf(change) === keyOf(own));
  return [own, ...others].slice(0, batchSizeFor({ connector, changes: [own] }));
}
