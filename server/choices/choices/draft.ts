import { type ChoiceEvent, type ChoiceSource, MADE_FOR_CUSTOMERS } from '#contract/choices.ts';
import { emailKey } from '#contract/email-key.ts';
import type { Replaced } from '#db/tables.ts';
import { isTestEmail, type TestRules } from '#server/accounts/sites/test-rules.ts';
import type { CustomerRow } from '#server/audience/customers/customers.ts';
import {
  anonymiseIp,
  type ChoiceRow,
  hashOfChoice,
  encryptPerson,
  personDetailsHash,
} from '#server/audience/evidence/evidence.ts';
import {
  applyChange,
  type ChoosableList,
  type CustomerState,
  type Move,
  movesBetween,
  subscriberChanges,
  type Transition,
  transitionBetween,
} from '#server/audience/evidence/transitions.ts';
import { notFound } from '#server/platform/errors.ts';
import { pooledRandom } from '#server/platform/random.ts';
import type { Keyring } from '#server/platform/secrets.ts';
import { alreadyOffOf } from './already-off.ts';
import type { ChoiceChange, ChoiceContext } from './choices.ts';

/** These sources send the state of every list; a link, a tool or an import names the one to leave. */
const SAVING: readonly ChoiceSource[] = ['page', 'owner', 'api'];

/** What these replace is recorded. */
const REPLACING: readonly ChoiceSource[] = [...MADE_FOR_CUSTOMERS, 'undo'];

/** How customers choose for themselves on a page. */
const ON_PAGES: readonly ChoiceSource[] = ['page', 'state_link'];

export interface LockedCustomer {
  customer: Pick<CustomerRow, 'id' | 'email' | 'sequence' | 'evidence_hash' | 'person_salt'> &
    Partial<Pick<CustomerRow, 'visit_id' | 'visit_from'>>;
  before: CustomerState;
  /** When each list was last chosen; not needed where the draft is not written. */
  changedAt?: ReadonlyMap<string, Date>;
}

/**
 * Computes a choice without writing it: the evidence record with its place in the customer's chain, and the
 * customer's new state.
 * @param made.firstEvents events beyond those that follow from the change
 * @param made.test which addresses are test addresses
 * @param made.isAskedAgain a person asks for what is so already, and that is recorded
 * @returns null if nothing would change
 */
export function draftChoice(
  keyring: Keyring,
  siteId: string,
  lists: readonly ChoosableList[],
  { customer, before, changedAt }: LockedCustomer,
  change: ChoiceChange,
  made: {
    id: string;
    at: Date;
    firstEvents: readonly ChoiceEvent[];
    context: ChoiceContext;
    test: TestRules;
    isAskedAgain?: boolean;
  },
) {
  const { context, isAskedAgain = false } = made;
  const email = change.email ?? customer.email ?? '';
  // Of both addresses: the one that a test customer takes, and the one that they leave.
  const isTest = isTestEmail(made.test, email) || isTestEmail(made.test, customer.email);
  const isMoved = email !== customer.email;
  const after = withRecipient(applyChange(before, change, lists), isMoved || isOwnChoice(context));
  const savesAll = SAVING.includes(context.source);
  const transition = withConfirmation(transitionBetween(before, after, lists, { savesAll }), context);
  const events: ChoiceEvent[] = [
    ...made.firstEvents,
    ...transition.events,
    ...(isMoved ? (['email_changed'] as const) : []),
  ];
  const changed = changedSubscriptions(before, after, change);
  const isOtherPause = after.pausedUntil?.getTime() !== before.pausedUntil?.getTime();
  const isOtherRecipient = isMarked(before) !== isMarked(after);
  const cleared = [...before.subscriptions.keys()].filter((id) => !after.subscriptions.has(id));
  const isChange = events.length + changed.length + cleared.length > 0 || isOtherPause || isOtherRecipient;
  if (!isChange && !isAskedAgain) return null;
  const alreadyOff = alreadyOffOf(before, change, context, lists);
  // Lists that are off beside a change are protected by what the page showed; that everything was off, by nothing else.
  const isNamed = alreadyOff !== null && (isAskedAgain || alreadyOff.everything);
  const seen = isNamed ? { ...context.shown, already_off: alreadyOff } : context.shown;
  const choice = {
    id: made.id,
    customer_id: customer.id,
    sequence: customer.sequence + 1,
    events,
    global_unsubscribe: after.globalUnsubscribe,
    paused_until: after.pausedUntil,
    occurred_at: made.at,
    is_test: isTest ? (true as const) : null,
    ...originOf(context),
  };
  if (customer.person_salt === null) throw notFound('This customer');
  const details = personOf(email, context);
  const person = encryptPerson(keyring, siteId, customer.person_salt, details);
  const shown = withDetailsHash(seen, personDetailsHash(details));
  const requested = context.requested?.record ?? null;
  const hash = hashOfChoice({
    ...choice,
    site_id: siteId,
    lists: transition.lists,
    shown,
    requested,
    person_hash: person.hash,
    previous_hash: customer.evidence_hash,
  });
  return {
    after,
    changed,
    cleared,
    transition,
    moves: movesOf(context, before, after, lists),
    subscribers: subscriberChanges(before, after),
    events,
    /** Columns whose read type differs from the written one. */
    record: {
      replaced: null,
      lists: transition.lists,
      shown,
      requested,
      person_salt: customer.person_salt,
    },
    choice: {
      ...choice,
      lists: JSON.stringify(transition.lists),
      shown: JSON.stringify(shown),
      person_hash: person.hash,
      person_sealed: person.sealed,
      previous_hash: customer.evidence_hash,
      hash,
      undoes_sequence: context.takesBack ?? null,
      replaced:
        isChange && REPLACING.includes(context.source)
          ? JSON.stringify(replacedBy({ before, after, changed, cleared, isMoved }, changedAt))
          : null,
      requested: requested === null ? null : JSON.stringify(requested),
      save_hash: null as Buffer | null,
      visit_id: context.seen?.visitId ?? null,
    },
    customer: {
      global_unsubscribe: after.globalUnsubscribe,
      paused_until: after.pausedUntil,
      wrong_recipient_at: after.wrongRecipientAt ?? null,
      sequence: choice.sequence,
      evidence_hash: hash,
      email,
      email_key: emailKey(email),
      ...visitOf(context, customer, choice.sequence),
      updated_at: made.at,
    },
  };
}

/** On which visit of a page the choice is made, and from which choice on all were made on that visit. */
function visitOf({ seen }: ChoiceContext, customer: LockedCustomer['customer'], sequence: number) {
  const visit_id = seen?.visitId ?? null;
  const goesOn = visit_id !== null && customer.visit_id?.equals(visit_id) === true;
  return { visit_id, visit_from: goesOn ? (customer.visit_from ?? sequence) : sequence };
}

const isMarked = ({ wrongRecipientAt }: CustomerState) => (wrongRecipientAt ?? null) !== null;

/** The customer proved who they are: from then on, nobody else's word about the inbox counts. */
function isOwnChoice({ source, authority }: ChoiceContext): boolean {
  return authority === 'proven' && ON_PAGES.includes(source);
}

/** The mark is about one address, and only for as long as nothing is sent to it. */
function withRecipient(
  { wrongRecipientAt: at, ...state }: CustomerState,
  isOutdated: boolean,
): CustomerState {
  const isStopped = state.globalUnsubscribe && state.pausedUntil === null;
  return { ...state, wrongRecipientAt: isStopped && !isOutdated ? (at ?? null) : null };
}

/** Neither what a stranger stops nor taking that back is a customer who leaves or joins. */
function isAboutRecipient({ source }: ChoiceContext, before: CustomerState): boolean {
  return source === 'wrong_recipient' || (source === 'undo' && isMarked(before));
}

/** The undo of a bulk change takes the moves that it undoes out of the figures, and makes none of its own. */
function movesOf(
  context: ChoiceContext,
  before: CustomerState,
  after: CustomerState,
  lists: readonly ChoosableList[],
): Move[] {
  if (isAboutRecipient(context, before)) return [];
  return context.shown.undone === undefined ? movesBetween(before, after, lists) : [];
}

/** What has to be restored to undo the choice. */
function replacedBy(
  made: {
    before: CustomerState;
    after: CustomerState;
    changed: readonly { list_id: string }[];
    cleared: readonly string[];
    isMoved: boolean;
  },
  changedAt: ReadonlyMap<string, Date> = new Map(),
): Replaced {
  const { before, after, isMoved } = made;
  const stateOf = ({ globalUnsubscribe, pausedUntil, wrongRecipientAt }: CustomerState) => ({
    global_unsubscribe: globalUnsubscribe,
    paused_until: pausedUntil?.toISOString() ?? null,
    wrong_recipient_at: wrongRecipientAt?.toISOString() ?? null,
  });
  const isOther = JSON.stringify(stateOf(before)) !== JSON.stringify(stateOf(after));
  return {
    lists: [...made.changed.map(({ list_id }) => list_id), ...made.cleared].map((id) => ({
      list_id: id,
      subscribed: before.subscriptions.get(id) ?? null,
      changed_at: changedAt.get(id)?.toISOString() ?? null,
    })),
    ...(isOther && { everything: stateOf(before) }),
    ...(isMoved && { email: true as const }),
  };
}

function changedSubscriptions(
  before: CustomerState,
  after: CustomerState,
  change: ChoiceChange,
): { list_id: string; subscribed: boolean; changed_at?: Date }[] {
  if ('restore' in change) {
    return change.restore.lists.flatMap(({ list_id, subscribed, changedAt }) => {
      if (subscribed === null) return [];
      if (before.subscriptions.get(list_id) === subscribed && changedAt === undefined) return [];
      return [{ list_id, subscribed, ...(changedAt && { changed_at: changedAt }) }];
    });
  }
  // Resubscribing by naming a list counts as choosing that list now, even if it was still on underneath.
  const comesBack = before.globalUnsubscribe && !after.globalUnsubscribe;
  const named = 'lists' in change ? (change.lists ?? []) : [];
  const isComeBackTo = (listId: string) =>
    comesBack && named.some((list) => list.list_id === listId && list.subscribed);
  return [...after.subscriptions].flatMap(([listId, subscribed]) =>
    before.subscriptions.get(listId) === subscribed && !isComeBackTo(listId)
      ? []
      : [{ list_id: listId, subscribed }],
  );
}

/** What an import says of a confirmation is about what it subscribes to. */
function withConfirmation(transition: Transition, { confirmation }: ChoiceContext): Transition {
  if (confirmation === undefined) return transition;
  const { at: confirmed_at } = confirmation;
  const lists = transition.lists.map((list) => (list.subscribed ? { ...list, confirmed_at } : list));
  return { ...transition, lists };
}

function originOf({ saveId, source, authority, language, ip }: ChoiceContext) {
  return { save_id: saveId, source, authority, language, ip: ip === null ? null : anonymiseIp(ip) };
}

function withDetailsHash(shown: ChoiceContext['shown'], hash: string | undefined): ChoiceContext['shown'] {
  return hash === undefined ? shown : { ...shown, person_details_hash: hash };
}

/** Encrypted details of the person who chose. */
function personOf(email: string, context: ChoiceContext) {
  const { userAgent, requested, confirmation, imported, linkDay, isLinkChanged } = context;
  const hasDetails = [userAgent, requested?.userAgent, confirmation?.ip].some(
    (one) => (one ?? null) !== null,
  );
  return {
    email,
    user_agent: userAgent?.slice(0, 300) ?? null,
    ...(requested && { requested_user_agent: requested.userAgent?.slice(0, 300) ?? null }),
    ...(confirmation && { confirmed_ip: confirmation.ip }),
    ...(imported && { imported }),
    ...(linkDay !== undefined && { link_day: linkDay }),
    ...(isLinkChanged && { link_changed: true as const }),
    ...(hasDetails && { salt: pooledRandom(16).toString('hex') }),
  };
}

export type Draft = NonNullable<ReturnType<typeof draftChoice>>;

/** A draft as a row that was read back. */
export function rowOfDraft(siteId: string, { choice, record }: Pick<Draft, 'choice' | 'record'>): ChoiceRow {
  return { ...choice, ...record, site_id: siteId };
}
