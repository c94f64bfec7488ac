import { randomBytes } from 'node:crypto';
import type { ChoicePreview, PreviewedChoice } from '#contract/choice-previews.ts';
import type { ChoiceEvent } from '#contract/choices.ts';
import { emailKey } from '#contract/email-key.ts';
import { testRulesOf } from '#server/accounts/sites/test-rules.ts';
import {
  type CustomerRow,
  erasedKeysOf,
  findCustomerByEmail,
  requireCustomer,
  subscriptionsOf,
  wasErasedAsLeft,
} from '#server/audience/customers/customers.ts';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { type ChoiceChange, type ChoiceContext, NO_VISIT } from '#server/choices/choices/choices.ts';
import { draftChoice, type LockedCustomer, rowOfDraft } from '#server/choices/choices/draft.ts';
import { emailExists, refuseUnknownLists } from '#server/choices/choices/preconditions.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { changeOfHeld } from '#server/visit/pending-changes/pending-changes.ts';
import { splitHeld } from '#server/visit/public-customers/hold-changes.ts';
import { planActions, type SimulatedChoice } from './plan-actions.ts';

/** Each preview reads the site's tools, whose limits deliveries need, too. */
const PREVIEWS = { name: 'choice-previews', points: 30, perSeconds: 60 };

const ON_THE_PAGE: ChoiceContext = { source: 'page', authority: 'open', saveId: null, ...NO_VISIT };
const CONFIRMED: ChoiceContext = { ...ON_THE_PAGE, source: 'confirm_link', authority: 'link' };

type Who = { id: string } | { email: string };

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
  { customer: who, choice: wanted }: { customer: Who; choice: PreviewedChoice },
): Promise<ChoicePreview> {
  await services.limits.use(PREVIEWS, siteId);
  const test = await testRulesOf(services, siteId);
  const change = changeOf(services, wanted);
  const { subject, lists } = await services.database.readSite(siteId, async (site) => {
    const lists = await allLists(site);
    refuseUnknownLists(change, lists);
    const subject = await subjectOf(services, site, who);
    if (change.email !== undefined) await refuseTaken(site, subject, change.email);
    return { subject, lists };
  });

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
  if (subject.isNew) decide({}, ['customer_created']);
  // As on a page without `confirm_changes`.
  const { now, held } = splitHeld({ customer, before }, change, lists, false);
  decide(now);
  if (held !== null) decide(changeOfHeld(held), [], CONFIRMED);

  const plans = await planActions(services, siteId, simulated);
  return {
    customer: { id: subject.isNew ? null : subject.customer.id, email: subject.customer.email },
    is_held: test.isOn,
    choices: simulated.map(({ choice, after, isConfirmed }, index) => ({
      events: choice.events,
      lists: choice.lists,
      global_unsubscribe: after.globalUnsubscribe,
      paused_until: after.pausedUntil?.toISOString() ?? null,
      needs_confirmation: isConfirmed,
      actions: plans[index] ?? [],
    })),
  };
}

function changeOf({ clock }: Pick<Services, 'clock'>, wanted: PreviewedChoice): ChoiceChange {
  if ('lists' in wanted) {
    const lists = wanted.lists.map(({ notification_list_id: list_id, subscribed }) => ({
      list_id,
      subscribed,
    }));
    return { lists };
  }
  if ('pause_days' in wanted) {
    return { pauseUntil: new Date(clock.now().getTime() + wanted.pause_days * 86_400_000) };
  }
  return 'email' in wanted ? { email: wanted.email } : { globalUnsubscribe: wanted.global_unsubscribe };
}

async function subjectOf(services: Services, site: SiteDb, who: Who): Promise<Subject> {
  const found =
    'id' in who ? await requireCustomer(site, who.id) : await findCustomerByEmail(site, emailKey(who.email));
  if (found !== undefined) return { ...(await knownCustomer(site, found)), isNew: false };
  const { email } = who as { email: string };
  const hasLeft = await wasErasedAsLeft(site, erasedKeysOf(services, site.id, email));
  const before: CustomerState = {
    globalUnsubscribe: hasLeft,
    pausedUntil: null,
    subscriptions: new Map(),
  };
  return {
    customer: { id: newId(), email, sequence: 0, evidence_hash: null, person_salt: randomBytes(16) },
    before,
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
      subscriptions: new Map(subscriptions.map((one) => [one.list_id, one.subscribed])),
    },
  };
}

async function refuseTaken(site: SiteDb, { customer, isNew }: Subject, email: string): Promise<void> {
  const other = await findCustomerByEmail(site, emailKey(email));
  if (other !== undefined && (isNew || other.id !== customer.id)) throw emailExists();
}
