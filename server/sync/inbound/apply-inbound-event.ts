import { emailKey } from '#contract/email-key.ts';
import { email as emailField } from '#contract/fields.ts';
import type { InboundOutcome } from '#contract/inbound.ts';
import { findCustomerByEmail } from '#server/audience/customers/customers.ts';
import { findChoiceBySaveId } from '#server/audience/evidence/evidence.ts';
import {
  customersWithFormer,
  EVERYTHING,
  keepOptOuts,
  type KeptOptOut,
  keptOptOutsOf,
} from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
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
import { wasWrittenSince, wroteThen } from '#server/delivery/deliveries/deliveries.ts';
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

type Result = Omit<InboundResult, 'at'>;

const ignored = (reason: string, customerId: string | null = null): Result => ({
  outcome: 'ignored',
  reason,
  customerId,
  choiceId: null,
});

const NOBODY = 'No customer has this email.';
const KEPT: Result = {
  outcome: 'kept',
  reason: 'No customer has this email yet. The customer who gets it starts unsubscribed.',
  customerId: null,
  choiceId: null,
};

const REASONS = {
  notBackSince: 'The customer has changed this here since.',
  notPausedBefore: 'Sayso sent this to the tool itself, for a pause that the customer started here.',
} as const;

/** Tolerated clock skew of a tool. */
const CLOCK_SKEW_MS = 60_000;

/** One change that follows from an event, with its precondition. */
interface Step {
  at: Date;
  change: ChoiceChange;
  precondition: Precondition;
  /** Tells apart the changes of one event. */
  part: string;
}

/** What an event says about its address. */
type Said = { optOuts: KeptOptOut[]; mayBeOurPause: boolean } | { newEmail: string };

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
  return { ...(await resultOf(services, origin, event, at)), at };
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
  if (inbound.kind !== 'webhook' || inbound.echoesOwnWrites !== true || at === null) return false;
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

async function resultOf(
  services: Services,
  origin: EventOrigin,
  event: InboundEvent,
  at: Date,
): Promise<Result> {
  const customer = await customerWith(services, origin.siteId, event.email);
  const customerId = customer?.id ?? null;
  if (event.kind === 'bounced') return ignored("A bounced email isn't the customer's choice.", customerId);
  if (RAISES.has(event.kind)) {
    return ignored("A tool can't subscribe customers. Only they can, on a preference page.", customerId);
  }
  if (event.email === null) return ignored("The tool didn't send the email.");
  const said = await whatItSays(services, origin, event, at);
  if ('outcome' in said) return { ...said, customerId };
  const email = emailField.safeParse(event.email);
  if (!email.success) return ignored(NOBODY);
  if (customer === undefined) return aboutNobody(services, origin, { event, at, said, email: email.data });
  if (await isOwnWrite(services, origin, event, customer.id)) {
    return ignored('Sayso sent this change to the tool itself.', customer.id);
  }
  return applySteps(services, origin, event, customer.id, stepsOf(said, at));
}

async function customerWith(services: Services, siteId: string, address: string | null) {
  const known = emailField.safeParse(address);
  if (!known.success) return undefined;
  return services.database.readSite(siteId, (site) => findCustomerByEmail(site, emailKey(known.data)));
}

async function whatItSays(
  services: Services,
  origin: EventOrigin,
  { kind, resource, newEmail }: InboundEvent,
  at: Date,
): Promise<Said | Result> {
  if (kind === 'email_changed') {
    const email = emailField.safeParse(newEmail);
    return email.success ? { newEmail: email.data } : ignored("The new email isn't valid.");
  }
  const { actions, lists } = await services.database.readSite(origin.siteId, async (site) => {
    const [allOfSite, listsOfSite] = await Promise.all([allActions(site), allLists(site)]);
    return { actions: allOfSite, lists: listsOfSite };
  });
  const optOut = { integration_id: origin.integrationId, happened_at: at };
  if (kind === 'unsubscribed' || kind === 'complained') {
    const mayBeOurPause = kind === 'unsubscribed' && mirrorsPauses(actions, origin);
    return { optOuts: [{ ...optOut, kind, about: EVERYTHING }], mayBeOurPause };
  }
  const tied = listMappingsOf(actions, origin, resource ?? '').filter((id) =>
    lists.some((list) => list.id === id),
  );
  if (tied.length === 0) return ignored("No action links this to one of the site's lists.");
  const listKind = kind === 'group_suppressed' ? kind : 'list_unsubscribed';
  return { optOuts: tied.map((about) => ({ ...optOut, kind: listKind, about })), mayBeOurPause: false };
}

function stepsOf(said: Said, at: Date): Step[] {
  if ('newEmail' in said) {
    const precondition = { notBackSince: { at, about: 'address' as const } };
    return [{ at, change: { email: said.newEmail }, precondition, part: '' }];
  }
  return said.optOuts.map((optOut) => stepOf(optOut, said.mayBeOurPause));
}

function stepOf({ about, happened_at: at }: KeptOptOut, mayBeOurPause: boolean): Step {
  if (about === EVERYTHING) {
    const precondition = {
      notBackSince: { at, about: 'everything' as const },
      ...(mayBeOurPause ? { notPausedBefore: at } : {}),
    };
    return { at, change: { globalUnsubscribe: true }, precondition, part: '' };
  }
  return {
    at,
    change: { lists: [{ list_id: about, subscribed: false }] },
    precondition: { notBackSince: { at, about: { listId: about } } },
    part: about,
  };
}

interface AboutNobody {
  event: InboundEvent;
  at: Date;
  said: Said;
  email: string;
}

/** The address may be a customer's later, or may have been one's before. */
async function aboutNobody(services: Services, origin: EventOrigin, about: AboutNobody): Promise<Result> {
  const { event, at, said, email } = about;
  if ('newEmail' in said) return keepForNewEmail(services, origin, event, { from: email, to: said.newEmail });
  const former = await formerCustomerOf(services, origin, about);
  if (former === 'our own write') return ignored('Sayso sent this change to the tool itself.');
  const isKept = await services.database.inSite(origin.siteId, (site) =>
    keepOptOuts(services, site, email, said.optOuts, async () => {
      return (await findCustomerByEmail(site, emailKey(email))) !== undefined;
    }),
  );
  // Somebody has become its customer meanwhile.
  if (!isKept) return resultOf(services, origin, event, at);
  return former === null ? KEPT : applySteps(services, origin, event, former, stepsOf(said, at));
}

/**
 * The customer who had the address when it opted out: before they changed it here, or before the tool was told. What we
 * write there about the old address afterwards may be reported as an opt-out of it.
 */
async function formerCustomerOf(
  services: Services,
  origin: EventOrigin,
  { event, at, email }: AboutNobody,
): Promise<string | null> {
  const { siteId, integrationId } = origin;
  const [last] = await services.database.readSite(siteId, (site) =>
    customersWithFormer(services, site, email),
  );
  if (last === undefined) return null;
  const { customer_id: customerId, moved_at: since } = last;
  if (await isOwnWrite(services, origin, event, customerId)) return 'our own write';
  const until = new Date(at.getTime() + ECHO_MS);
  const wasTold =
    until > since &&
    (await services.database.readSite(siteId, (site) =>
      wasWrittenSince(site, [customerId], { integrationId, since, until }),
    ));
  return wasTold ? null : customerId;
}

/** Opt-outs of the old address hold for the new one as well. */
async function keepForNewEmail(
  services: Services,
  origin: EventOrigin,
  event: InboundEvent,
  addresses: { from: string; to: string },
): Promise<Result> {
  const { from, to } = addresses;
  const { kept, isMoved } = await services.database.inSite(origin.siteId, async (site) => {
    const optOuts = (await keptOptOutsOf(services, site, [from]))(from);
    const isCustomers = async () => (await findCustomerByEmail(site, emailKey(to))) !== undefined;
    return { kept: optOuts, isMoved: await keepOptOuts(services, site, to, optOuts, isCustomers) };
  });
  if (kept.length === 0) return ignored(NOBODY);
  if (isMoved) return KEPT;
  const customer = await customerWith(services, origin.siteId, to);
  if (customer === undefined) return ignored(NOBODY);
  const steps = kept.map((optOut) => stepOf(optOut, false));
  return applySteps(services, origin, event, customer.id, steps);
}

async function applySteps(
  services: Services,
  origin: EventOrigin,
  event: InboundEvent,
  customerId: string,
  steps: readonly Step[],
): Promise<Result> {
  const results: Result[] = [];
  for (const step of steps) results.push(await applyStep(services, origin, event, customerId, step));
  return { ...summaryOf(results), customerId };
}

/** Counts as applied if any part was. */
function summaryOf(results: readonly Result[]): Result {
  const best =
    results.find(({ choiceId }) => choiceId !== null) ??
    results.find(({ outcome }) => outcome === 'applied') ??
    results[0];
  return best ?? ignored('Nothing to change.');
}

async function applyStep(
  services: Services,
  { siteId, integrationId }: EventOrigin,
  event: InboundEvent,
  customerId: string,
  { at, change, precondition, part }: Step,
): Promise<Result> {
  const saveId = `tool:${integrationId}:${sha256(event.id).toString('base64url')}:${part}`;
  const since = new Date(at.getTime() - CLOCK_SKEW_MS);
  try {
    const isSaidInTool =
      isComplaint(event) || !(await wroteAbout(services, siteId, { integrationId, customerId, at }));
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
        ...(isSaidInTool && { isSaidInTool }),
        ...(!isAboutOneOfMany(event) && { toldBy: { integrationId, since } }),
      },
      precondition,
    );
    if (saved.refused !== null)
      return await ignoredOrAlreadyApplied(services, siteId, customerId, saveId, saved.refused);
    const reason = saved.choiceId === null ? 'No change: it was already like this here.' : null;
    return { outcome: 'applied', reason, customerId, choiceId: saved.choiceId };
  } catch (error) {
    return refusalOf(error);
  }
}

const isComplaint = ({ kind }: InboundEvent) => kind === 'complained';

/** A complaint stops everything, while the tool goes on sending its other lists until it is told. */
const isAboutOneOfMany = (event: InboundEvent) => isComplaint(event) && event.resource !== undefined;

/** Did we write about this customer at that time? Then the tool may report that, and not what the person did. */
function wroteAbout(
  { database }: Services,
  siteId: string,
  { integrationId, customerId, at }: { integrationId: string; customerId: string; at: Date },
): Promise<boolean> {
  const since = new Date(at.getTime() - ECHO_MS);
  const until = new Date(at.getTime() + ECHO_MS);
  return database.readSite(siteId, (site) =>
    wasWrittenSince(site, [customerId], { integrationId, since, until }),
  );
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
  if (made !== undefined) return { outcome: 'applied', reason: null, customerId, choiceId: made.id };
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
