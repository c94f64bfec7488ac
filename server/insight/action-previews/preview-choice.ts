import { randomBytes } from 'node:crypto';
import type { ChoicePreview, PreviewedChoice } from '#contract/choice-previews.ts';
import type { ChoiceEvent } from '#contract/choices.ts';
import { emailKey } from '#contract/email-key.ts';
import { type TestRules, testRulesOf } from '#server/accounts/sites/test-rules.ts';
import {
  type CustomerRow,
  addressHashesOf,
  findCustomerByEmail,
  requireCustomer,
  subscriptionsOf,
  erasedAsLeftAt,
} from '#server/audience/customers/customers.ts';
import type { ChoosableList } from '#server/audience/evidence/transitions.ts';
import { keptOptOutsOf, stateOfNewcomer } from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { byCaller } from '#server/choices/choices/add-customer.ts';
import { type ChoiceChange, type ChoiceContext, NO_VISIT } from '#server/choices/choices/choices.ts';
import { draftChoice, type LockedCustomer, rowOfDraft } from '#server/choices/choices/draft.ts';
import { emailExists, refuseUnknownLists } from '#server/choices/choices/preconditions.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { type AppError, invalidField } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { changeOfHeld } from '#server/visit/pending-changes/pending-changes.ts';
import { splitHeld } from '#server/visit/public-customers/hold-changes.ts';
import { pauseEnd } from '#server/visit/public-customers/pause-end.ts';
import { planActions, type SimulatedChoice } from './plan-actions.ts';

/** Each preview reads the site's tools, whose limits deliveries need, too. */
const PREVIEWS = { name: 'choice-previews', points: 30, perSeconds: 60 };

const ON_THE_PAGE: ChoiceContext = { source: 'page', authority: 'open', saveId: null, ...NO_VISIT };
const CONFIRMED: ChoiceContext = { ...ON_THE_PAGE, source: 'confirm_link', authority: 'link' };
const BY_WRONG_RECIPIENT: ChoiceContext = { ...CONFIRMED, source: 'wrong_recipient' };

type Who = { id: string } | { email: string };

interface Asked {
  customer: Who;
  choice: PreviewedChoice;
  together_with?: string[] | undefined;
  on_behalf?: boolean | undefined;
  confirm_changes?: boolean | undefined;
}

interface Subject extends LockedCustomer {
  customer: LockedCustomer['customer'] & { email: string };
  isNew: boolean;
}

/**
 * Everything that would be sent if a customer made a choice now: the choice as a save would decide it, and for each action
 * the calls that its delivery would make. Nothing is stored or sent.
 * @throws AppError `not_found`, `invalid_field`, `error_exists`, `rate_limited`
 */
export async function previewChoice(
  services: Services,
  siteId: string,
  asked: Asked,
): Promise<ChoicePreview> {
  const { customer: who, choice: wanted, together_with: otherIds = [] } = asked;
  await services.limits.use(PREVIEWS, siteId);
  const test = await testRulesOf(services, siteId);
  const change = changeOf(services, wanted);
  if (asked.on_behalf === true) refuseOnBehalf(wanted);
  const { subject, others, lists } = await services.database.readSite(siteId, async (site) => {
    const lists = await allLists(site);
    refuseUnknownLists(change, lists);
    const subject = await subjectOf(services, site, who);
    if (change.email !== undefined) await refuseTaken(site, subject, change.email);
    if ('wrong_recipient' in wanted && subject.isNew) throw noLinkYet();
    const others: Subject[] = [];
    for (const id of new Set(otherIds)) {
      if (id !== subject.customer.id) others.push(await subjectOf(services, site, { id }));
    }
    return { subject, others, lists };
  });
  const simulate = (one: Subject) => simulatedChoices(services, siteId, one, { asked, change, lists, test });
  const simulated = simulate(subject);
  const plans = await planActions(services, siteId, simulated, others.flatMap(simulate));
  return {
    customer: { id: subject.isNew ? null : subject.customer.id, email: subject.customer.email },
    is_held: test.isOn,
    choices: simulated.map(({ choice, after, isConfirmed }, index) => ({
      events: choice.events,
      lists: choice.lists,
      global_unsubscribe: after.globalUnsubscribe,
      paused_until: after.pausedUntil?.toISOString() ?? null,
      wrong_recipient_at: after.wrongRecipientAt?.toISOString() ?? null,
      needs_confirmation: isConfirmed,
      actions: plans[index] ?? [],
    })),
  };
}

/** The choices that come of it, in order: becoming a customer, what happens now, what has to be confirmed. */
function simulatedChoices(
  services: Services,
  siteId: string,
  subject: Subject,
  {
    asked,
    change,
    lists,
    test,
  }: { asked: Asked; change: ChoiceChange; lists: readonly ChoosableList[]; test: TestRules },
): (SimulatedChoice & { isConfirmed: boolean })[] {
  let { customer, before } = subject;
  const simulated: (SimulatedChoice & { isConfirmed: boolean })[] = [];
  const decide = (wants: ChoiceChange, firstEvents: readonly ChoiceEvent[] = [], context = ON_THE_PAGE) => {
    const made = { id: newId(), at: services.clock.now(), firstEvents, context, test };
    const draft = draftChoice(services.keyring, siteId, lists, { customer, before }, wants, made);
    if (draft === null) return;
    const { email } = draft.customer;
    simulated.push({
      choice: { ...rowOfDraft(siteId, draft), reason: null },
      after: draft.after,
      email,
      previousEmail: draft.events.includes('email_changed') ? customer.email : null,
      isConfirmed: context === CONFIRMED,
    });
    customer = { ...customer, ...draft.customer };
    before = draft.after;
  };
  if (subject.isNew) decide({}, ['customer_created'], asked.on_behalf === true ? byCaller() : ON_THE_PAGE);
  if (asked.on_behalf === true) {
    decide(change, [], byCaller());
    return simulated;
  }
  const { now, held } = splitHeld({ customer, before }, change, lists, asked.confirm_changes ?? false);
  decide(now, [], 'wrong_recipient' in asked.choice ? BY_WRONG_RECIPIENT : ON_THE_PAGE);
  if (held !== null) decide(changeOfHeld(held), [], CONFIRMED);
  return simulated;
}

/** @throws AppError `invalid_field` */
function changeOf({ clock }: Pick<Services, 'clock'>, wanted: PreviewedChoice): ChoiceChange {
  if ('lists' in wanted) {
    const lists = wanted.lists.map(({ notification_list_id: list_id, subscribed }) => ({
      list_id,
      subscribed,
    }));
    if (wanted.global_unsubscribe !== true) return { lists };
    if (lists.some(({ subscribed }) => subscribed)) throw listIsOn();
    return { lists, globalUnsubscribe: true };
  }
  if ('pause_days' in wanted || 'pause_until' in wanted) {
    return { pauseUntil: pauseEnd(wanted, clock.now(), 'choice.pause_until') };
  }
  if ('wrong_recipient' in wanted) return { wrongRecipientAt: clock.now() };
  return 'email' in wanted ? { email: wanted.email } : { globalUnsubscribe: wanted.global_unsubscribe };
}

function listIsOn(): AppError {
  const field = 'choice.global_unsubscribe';
  return invalidField(
    field,
    `${field}: a list in choice.lists is on. Leave it out, or switch every list off.`,
  );
}

/** @throws AppError `invalid_field` for a choice that only a customer can make */
function refuseOnBehalf(wanted: PreviewedChoice): void {
  const isByCustomer = ['pause_days', 'pause_until', 'wrong_recipient'].some((name) => name in wanted);
  if (!isByCustomer) return;
  const message = 'on_behalf: only customers can make this choice. Leave the field out.';
  throw invalidField('on_behalf', message);
}

/** Only a link in an email says so, and nobody has got one yet. */
function noLinkYet(): AppError {
  const field = 'customer.email';
  return invalidField(field, `${field}: no customer has this email. Choose a customer who gets your emails.`);
}

async function subjectOf(services: Services, site: SiteDb, who: Who): Promise<Subject> {
  const found =
    'id' in who ? await requireCustomer(site, who.id) : await findCustomerByEmail(site, emailKey(who.email));
  if (found !== undefined) return { ...(await knownCustomer(site, found)), isNew: false };
  const { email } = who as { email: string };
  const [erasedAt, keptOf] = await Promise.all([
    erasedAsLeftAt(site, addressHashesOf(services, site.id, email)),
    keptOptOutsOf(services, site, [email]),
  ]);
  return {
    customer: { id: newId(), email, sequence: 0, evidence_hash: null, person_salt: randomBytes(16) },
    before: stateOfNewcomer(erasedAt !== null, keptOf(email)),
    isNew: true,
  };
}

async function knownCustomer(site: SiteDb, customer: CustomerRow): Promise<Omit<Subject, 'isNew'>> {
  const subscriptions = await subscriptionsOf(site, customer.id);
  return {
    customer: { ...customer, email: customer.email ?? '' },
    before: {
      globalUnsubscribe: customer.global_unsubscribe,
      pausedUntil: customer.paused_until,
      wrongRecipientAt: customer.wrong_recipient_at,
      subscriptions: new Map(subscriptions.map((one) => [one.list_id, one.subscribed])),
    },
  };
}

async function refuseTaken(site: SiteDb, { customer, isNew }: Subject, email: string): Promise<void> {
  const other = await findCustomerByEmail(site, emailKey(email));
  if (other !== undefined && (isNew || other.id !== customer.id)) throw emailExists();
}
