import { emailKey } from '#contract/email-key.ts';
import { email as emailField } from '#contract/fields.ts';
import type { InboundOutcome } from '#contract/inbound.ts';
import { type CustomerRow, findCustomerByEmail } from '#server/audience/customers/customers.ts';
import { findChoiceBySaveId } from '#server/audience/evidence/evidence.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import {
  type ChoiceResult,
  type ChoiceChange,
  type Precondition,
  saveChoice,
  NO_VISIT,
} from '#server/choices/choices/choices.ts';
import type { InboundEvent } from '#server/connectors/connector.ts';
import { allActions } from '#server/delivery/actions/actions.ts';
import { wroteThen } from '#server/delivery/deliveries/deliveries.ts';
import { AppError } from '#server/platform/errors.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { capabilityOf } from '#server/tools/integrations/catalogue.ts';
import type { EventOrigin } from './inbound.ts';
import { listMappingsOf, mirrorsPauses } from './list-mappings.ts';

/** The result of an event. */
export interface InboundResult {
  outcome: InboundOutcome;
  reason: string | null;
  at: Date;
  customerId: string | null;
  choiceId: string | null;
}

type Result = Pick<InboundResult, 'outcome' | 'reason' | 'choiceId'>;

const ignored = (reason: string): Result => ({ outcome: 'ignored', reason, choiceId: null });

const REASONS = {
  notBackSince: 'The customer has changed this here since.',
  notPausedBefore: 'Sayso sent this to the tool itself, for a pause that the customer started here.',
} as const;

/** Tolerated clock skew of a tool. */
const CLOCK_SKEW_MS = 60_000;

/** One change that follows from an event, with its precondition. */
interface Step {
  change: ChoiceChange;
  precondition: Precondition;
  /** Tells apart the changes of one event. */
  part: string;
}

/**
 * Applies what a person did in a tool as a choice. Anything that would raise consent is ignored, because no tool can
 * prove it. Repeating it makes no second choice, because each has a save id.
 */
export async function applyInboundEvent(
  services: Services,
  origin: EventOrigin,
  event: InboundEvent,
): Promise<InboundResult> {
  // An event cannot be later than its receipt, whatever the tool's clock says.
  const at = event.at === null || event.at > origin.receivedAt ? origin.receivedAt : event.at;
  const customer = await customerOf(services, origin.siteId, event.email);
  const result = await resultOf(services, origin, event, at, customer);
  return { ...result, at, customerId: customer?.id ?? null };
}

/** No tool can prove consent. */
const RAISES: ReadonlySet<InboundEvent['kind']> = new Set([
  'resubscribed',
  'list_subscribed',
  'group_unsuppressed',
]);

/** A tool with a correct clock makes our change within this time. */
const ECHO_MS = 5000;

/**
 * Is the event the echo of our own write? Applied after the customer has chosen otherwise here, it would undo their
 * choice. Anything that happened in the tool at another time was someone else's doing and counts.
 */
async function isOwnWrite(
  services: Services,
  { siteId, integrationId, connector }: EventOrigin,
  { kind, at }: InboundEvent,
  customerId: string,
): Promise<boolean> {
  const { inbound } = connector;
  if (inbound.kind !== 'webhook' || inbound.tellsOwnWrites !== true || at === null) return false;
  if (kind !== 'unsubscribed' && kind !== 'email_changed') return false;
  const capability = capabilityOf(connector, 'global_unsubscribe');
  const [blocking = null] = kind === 'unsubscribed' && capability.can ? capability.operations : [];
  return services.database.readSite(siteId, (site) =>
    wroteThen(site, customerId, {
      integrationId,
      blocking,
      from: new Date(at.getTime() - ECHO_MS),
      until: new Date(at.getTime() + ECHO_MS),
    }),
  );
}

async function customerOf(
  services: Services,
  siteId: string,
  address: string | null,
): Promise<CustomerRow | undefined> {
  const known = emailField.safeParse(address);
  if (!known.success) return undefined;
  return services.database.readSite(siteId, (site) => findCustomerByEmail(site, emailKey(known.data)));
}

async function resultOf(
  services: Services,
  origin: EventOrigin,
  event: InboundEvent,
  at: Date,
  customer: CustomerRow | undefined,
): Promise<Result> {
  if (event.kind === 'bounced') return ignored("A bounced email isn't the customer's choice.");
  if (RAISES.has(event.kind)) {
    return ignored("A tool can't subscribe customers. Only they can, on a preference page.");
  }
  if (event.email === null) return ignored("The tool didn't send the email.");
  if (customer === undefined) return ignored('No customer has this email.');
  if (await isOwnWrite(services, origin, event, customer.id)) {
    return ignored('Sayso sent this change to the tool itself.');
  }
  const steps = await stepsOf(services, origin, event, at);
  if ('outcome' in steps) return steps;
  const results: Result[] = [];
  for (const step of steps)
    results.push(await applyStep(services, { ...origin, at }, event, customer.id, step));
  return summaryOf(results);
}

/** Counts as applied if any part was. */
function summaryOf(results: readonly Result[]): Result {
  const best =
    results.find(({ choiceId }) => choiceId !== null) ??
    results.find(({ outcome }) => outcome === 'applied') ??
    results[0];
  return best ?? ignored('Nothing to change.');
}

async function stepsOf(
  services: Services,
  origin: EventOrigin,
  event: InboundEvent,
  at: Date,
): Promise<Step[] | Result> {
  const { siteId } = origin;
  if (event.kind === 'email_changed') return addressStep(event, at);
  const { actions, lists } = await services.database.readSite(siteId, async (site) => {
    const [allOfSite, listsOfSite] = await Promise.all([allActions(site), allLists(site)]);
    return { actions: allOfSite, lists: listsOfSite };
  });
  if (event.kind === 'unsubscribed' || event.kind === 'complained') {
    const mayBeOurs = event.kind === 'unsubscribed' && mirrorsPauses(actions, origin);
    const precondition = {
      notBackSince: { at, about: 'everything' as const },
      ...(mayBeOurs ? { notPausedBefore: at } : {}),
    };
    return [{ change: { globalUnsubscribe: true }, precondition, part: '' }];
  }
  const tied = listMappingsOf(actions, origin, event.resource ?? '').filter((id) =>
    lists.some((list) => list.id === id),
  );
  if (tied.length === 0) return ignored("No action links this to one of the site's lists.");
  return tied.map((listId) => ({
    change: { lists: [{ list_id: listId, subscribed: false }] },
    precondition: { notBackSince: { at, about: { listId } } },
    part: listId,
  }));
}

function addressStep({ newEmail }: InboundEvent, at: Date): Step[] | Result {
  const email = emailField.safeParse(newEmail);
  if (!email.success) return ignored("The new email isn't valid.");
  const precondition = { notBackSince: { at, about: 'address' as const } };
  return [{ change: { email: email.data }, precondition, part: '' }];
}

async function applyStep(
  services: Services,
  { siteId, integrationId, at }: EventOrigin & { at: Date },
  event: InboundEvent,
  customerId: string,
  { change, precondition, part }: Step,
): Promise<Result> {
  const saveId = `tool:${integrationId}:${sha256(event.id).toString('base64url')}:${part}`;
  try {
    const saved = await saveChoice(
      services,
      siteId,
      customerId,
      change,
      {
        source: 'tool',
        authority: 'system',
        saveId,
        ...NO_VISIT,
        toldBy: { integrationId, since: new Date(at.getTime() - CLOCK_SKEW_MS) },
      },
      precondition,
    );
    if (saved.refused !== null)
      return await ignoredOrAlreadyApplied(services, siteId, customerId, saveId, saved.refused);
    const reason = saved.choiceId === null ? 'No change: it was already like this here.' : null;
    return { outcome: 'applied', reason, choiceId: saved.choiceId };
  } catch (error) {
    return refusalOf(error);
  }
}

/** A dead worker may have made the choice already, and the customer resubscribed since. */
async function ignoredOrAlreadyApplied(
  services: Services,
  siteId: string,
  customerId: string,
  saveId: string,
  refused: NonNullable<ChoiceResult['refused']>,
): Promise<Result> {
  const made = await services.database.readSite(siteId, (site) =>
    findChoiceBySaveId(site, customerId, saveId),
  );
  if (made !== undefined) return { outcome: 'applied', reason: null, choiceId: made.id };
  return ignored(refused in REASONS ? REASONS[refused as keyof typeof REASONS] : 'This no longer applies.');
}

/** Refusals that a retry would not change. */
function refusalOf(error: unknown): Result {
  if (!(error instanceof AppError)) throw error;
  if (error.code === 'error_exists') return ignored('Another customer already has the new email.');
  if (error.code === 'not_found') return ignored('The customer was erased in the meantime.');
  if (error.code === 'invalid_field') return ignored('The list was deleted in the meantime.');
  throw error;
}
