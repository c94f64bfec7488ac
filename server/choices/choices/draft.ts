import type { ChoiceEvent, ChoiceSource } from '#contract/choices.ts';
import { emailKey } from '#contract/email-key.ts';
import type { CustomerRow } from '#server/audience/customers/customers.ts';
import { anonymiseIp, type ChoiceRow, hashOfChoice, sealPerson } from '#server/audience/evidence/evidence.ts';
import {
  applyWish,
  type ChoosableList,
  type CustomerState,
  movesBetween,
  subscriberChanges,
  type Transition,
  transitionBetween,
} from '#server/audience/evidence/transitions.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Keyring } from '#server/platform/secrets.ts';
import type { ChoiceWish, Circumstances } from './choices.ts';

/** These send every list as it stands; a link, a tool or an import names the one to leave. */
const SAVING: readonly ChoiceSource[] = ['page', 'owner', 'api'];

export interface LockedCustomer {
  customer: Pick<CustomerRow, 'id' | 'email' | 'sequence' | 'evidence_hash' | 'person_salt'>;
  before: CustomerState;
}

/**
 * Works out a choice without writing anything: the record of evidence with its place in the customer's chain, and
 * the customer's new state.
 * @param made.firstEvents events beyond those that follow from the wish
 * @returns null when nothing would change
 */
export function draftChoice(
  keyring: Keyring,
  siteId: string,
  lists: readonly ChoosableList[],
  { customer, before }: LockedCustomer,
  wish: ChoiceWish,
  made: { id: string; at: Date; firstEvents: readonly ChoiceEvent[]; circumstances: Circumstances },
) {
  const { circumstances } = made;
  const email = wish.email ?? customer.email ?? '';
  const after = applyWish(before, wish);
  const savesAll = SAVING.includes(circumstances.source);
  const transition: Transition = transitionBetween(before, after, lists, { savesAll });
  const events: ChoiceEvent[] = [
    ...made.firstEvents,
    ...transition.events,
    ...(email === customer.email ? [] : (['email_changed'] as const)),
  ];
  const changed = changedSubscriptions(before, after, wish);
  const isOtherPause = after.pausedUntil?.getTime() !== before.pausedUntil?.getTime();
  if (events.length === 0 && changed.length === 0 && !isOtherPause) return null;
  const choice = {
    id: made.id,
    customer_id: customer.id,
    sequence: customer.sequence + 1,
    events,
    global_unsubscribe: after.globalUnsubscribe,
    paused_until: after.pausedUntil,
    occurred_at: made.at,
    ...originOf(circumstances),
  };
  if (customer.person_salt === null) throw notFound('This customer');
  const person = sealPerson(keyring, siteId, customer.person_salt, personOf(email, circumstances));
  const requested = circumstances.requested?.record ?? null;
  const hash = hashOfChoice({
    ...choice,
    site_id: siteId,
    lists: transition.lists,
    shown: circumstances.shown,
    requested,
    person_hash: person.hash,
    previous_hash: customer.evidence_hash,
  });
  return {
    after,
    changed,
    transition,
    moves: movesBetween(before, after, lists),
    subscribers: subscriberChanges(before, after),
    events,
    /** What is read back otherwise than it is written. */
    record: {
      lists: transition.lists,
      shown: circumstances.shown,
      requested,
      person_salt: customer.person_salt,
    },
    choice: {
      ...choice,
      lists: JSON.stringify(transition.lists),
      shown: JSON.stringify(circumstances.shown),
      person_hash: person.hash,
      person_sealed: person.sealed,
      previous_hash: customer.evidence_hash,
      hash,
      takes_back: circumstances.takesBack ?? null,
      requested: requested === null ? null : JSON.stringify(requested),
      save_hash: null as Buffer | null,
    },
    customer: {
      global_unsubscribe: after.globalUnsubscribe,
      paused_until: after.pausedUntil,
      sequence: choice.sequence,
      evidence_hash: hash,
      email,
      email_key: emailKey(email),
      updated_at: made.at,
    },
  };
}

function changedSubscriptions(before: CustomerState, after: CustomerState, wish: ChoiceWish) {
  // Who comes back by naming a list has chosen it now, also where it was left on beneath.
  const comesBack = before.globalUnsubscribe && !after.globalUnsubscribe;
  const named = 'lists' in wish ? (wish.lists ?? []) : [];
  const isComeBackTo = (listId: string) =>
    comesBack && named.some((list) => list.list_id === listId && list.subscribed);
  return [...after.subscriptions].flatMap(([listId, subscribed]) =>
    before.subscriptions.get(listId) === subscribed && !isComeBackTo(listId)
      ? []
      : [{ list_id: listId, subscribed }],
  );
}

function originOf({ saveId, source, authority, language, ip }: Circumstances) {
  return { save_id: saveId, source, authority, language, ip: ip === null ? null : anonymiseIp(ip) };
}

/** What is sealed of the person who chose. */
function personOf(email: string, { userAgent, requested }: Circumstances) {
  return {
    email,
    user_agent: userAgent?.slice(0, 300) ?? null,
    ...(requested && { requested_user_agent: requested.userAgent?.slice(0, 300) ?? null }),
  };
}

export type Draft = NonNullable<ReturnType<typeof draftChoice>>;

/** A draft as it would be read back. */
export function rowOfDraft(siteId: string, { choice, record }: Pick<Draft, 'choice' | 'record'>): ChoiceRow {
  return { ...choice, ...record, site_id: siteId };
}
