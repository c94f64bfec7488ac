import type { ChoiceEvent, ChoiceSource, Evidence } from '#contract/choices.ts';
import type { Language } from '#contract/fields.ts';
import { allLists } from '#server/features/lists/lists.ts';
import { enabledActions, type MatchableAction } from '#server/features/actions/actions.sql.ts';
import { siteTag } from '#server/features/sites/change-site.ts';
import { matchActions } from '#server/features/actions/matching.ts';
import {
  type CustomerRow,
  findCustomer,
  findCustomerByEmail,
  lockCustomer,
  subscriptionsOf,
} from '#server/features/customers/customers.sql.ts';
import { createDeliveries } from '#server/features/deliveries/deliveries.ts';
import { isForeignKeyViolation, isUniqueViolation, type SiteDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { inTurn } from '#server/platform/in-turn.ts';
import type { Services } from '#server/platform/services.ts';
import { findChoiceBySaveId, insertChoice, saveCustomerState, saveSubscriptions } from './choices.sql.ts';
import { anonymiseIp, evidenceHash, sealPerson } from './evidence.ts';
import { applyWish, type CustomerState, raisesConsent, transitionBetween, type Wish } from './transitions.ts';

/** How a choice was made: what the evidence says beside the change itself. */
export interface Circumstances {
  source: ChoiceSource;
  authority: Evidence['authority'];
  /** Sent by the client; the same one again changes nothing. */
  saveId: string | null;
  language: Language | null;
  ip: string | null;
  userAgent: string | null;
  shown: Evidence['shown'];
}

export const NOTHING_SHOWN: Evidence['shown'] = {
  page_id: null,
  page_version: null,
  template_id: null,
  url: null,
  lists: [],
};

export interface ChoiceWish extends Wish {
  email?: string;
}

export interface ChoiceResult {
  /** null when there was nothing to change: then nothing was written either. */
  choiceId: string | null;
  email: string;
  globalUnsubscribe: boolean;
  subscriptions: ReadonlyMap<string, boolean>;
}

/** Spec section 5. */
const EMAIL_EXISTS = 'another customer in the list already exists with the new email';

function stateOf(
  customer: CustomerRow,
  subscriptions: readonly { list_id: string; subscribed: boolean }[],
): CustomerState {
  return {
    globalUnsubscribe: customer.global_unsubscribe,
    subscriptions: new Map(subscriptions.map((one) => [one.list_id, one.subscribed])),
  };
}

async function refuseTakenEmail(site: SiteDb, customer: CustomerRow, email: string): Promise<void> {
  const other = await findCustomerByEmail(site, email.toLowerCase());
  if (other === undefined || other.id === customer.id) return;
  throw new AppError('error_exists', EMAIL_EXISTS, { field: 'email' });
}

interface LockedCustomer {
  customer: CustomerRow;
  before: CustomerState;
}

/**
 * Commits one choice of a customer: state, evidence, deliveries and their jobs, all or nothing.
 * @throws AppError `not_found`, `error_exists`; `invalid_field` for a list that the site does not have
 */
export async function saveChoice(
  services: Services,
  siteId: string,
  customerId: string,
  wish: ChoiceWish,
  circumstances: Circumstances,
): Promise<ChoiceResult> {
  // Before the transaction: it may need a connection, and must not wait for one while it holds another.
  const rules = await rulesOf(services, siteId);
  try {
    return await inTurn(customerId, () =>
      services.database.inSite(siteId, async (site) => {
        // The lock goes first on the wire; what is read behind it is read after it was granted.
        const [customer, subscriptions] = await Promise.all([
          lockCustomer(site, customerId),
          subscriptionsOf(site, customerId),
        ]);
        if (customer === undefined) throw notFound('This customer');
        const before = stateOf(customer, subscriptions);
        return commitChoice(services, site, rules, { customer, before }, wish, [], circumstances);
      }),
    );
  } catch (error) {
    if (isForeignKeyViolation(error)) {
      throw new AppError('invalid_field', 'One of the lists was deleted a moment ago; load the page again.', {
        field: 'body',
      });
    }
    if (!isUniqueViolation(error)) throw error;
    // The save id is unique for the customer: the same save again fails there, and answers what it answered first.
    const repeated = await findRepeated(services, siteId, customerId, circumstances.saveId);
    if (repeated !== null) return repeated;
    if (wish.email !== undefined) throw new AppError('error_exists', EMAIL_EXISTS, { field: 'email' });
    throw error;
  }
}

async function findRepeated(
  services: Services,
  siteId: string,
  customerId: string,
  saveId: string | null,
): Promise<ChoiceResult | null> {
  if (saveId === null) return null;
  return services.database.readSite(siteId, async (site) => {
    const [choice, customer, subscriptions] = await Promise.all([
      findChoiceBySaveId(site, customerId, saveId),
      findCustomer(site, customerId),
      subscriptionsOf(site, customerId),
    ]);
    if (choice === undefined || customer === undefined) return null;
    return { choiceId: choice.id, email: customer.email ?? '', ...stateOf(customer, subscriptions) };
  });
}

/** The evidence that a new customer starts with, in the transaction that makes the customer. */
export async function recordCreation(
  services: Services,
  site: SiteDb,
  rules: Rules,
  customer: CustomerRow,
  circumstances: Circumstances,
): Promise<void> {
  const before: CustomerState = { globalUnsubscribe: false, subscriptions: new Map() };
  await commitChoice(services, site, rules, { customer, before }, {}, ['customer_created'], circumstances);
}

async function commitChoice(
  services: Services,
  site: SiteDb,
  { lists, actions }: Rules,
  { customer, before }: LockedCustomer,
  wish: ChoiceWish,
  firstEvents: ChoiceEvent[],
  circumstances: Circumstances,
): Promise<ChoiceResult> {
  const unknown = (wish.lists ?? []).findIndex((wanted) => !lists.some((list) => list.id === wanted.list_id));
  if (unknown >= 0) {
    throw new AppError('invalid_field', `${unknown}.notification_list_id: this site has no such list.`, {
      field: `${unknown}.notification_list_id`,
    });
  }
  const email = wish.email ?? customer.email ?? '';
  if (wish.email !== undefined) await refuseTakenEmail(site, customer, wish.email);

  const after = applyWish(before, wish);
  const transition = transitionBetween(before, after, lists);
  const events: ChoiceEvent[] = [
    ...firstEvents,
    ...transition.events,
    ...(email === customer.email ? [] : (['email_changed'] as const)),
  ];
  const changed = [...after.subscriptions].flatMap(([listId, subscribed]) =>
    before.subscriptions.get(listId) === subscribed ? [] : [{ list_id: listId, subscribed }],
  );
  if (events.length === 0 && changed.length === 0) {
    const { saveId } = circumstances;
    const first = saveId === null ? undefined : await findChoiceBySaveId(site, customer.id, saveId);
    return { choiceId: first?.id ?? null, email, ...after };
  }
  const now = firstEvents.length > 0 ? customer.created_at : services.clock.now();
  const choice = {
    id: newId(),
    customer_id: customer.id,
    sequence: customer.sequence + 1,
    save_id: circumstances.saveId,
    source: circumstances.source,
    authority: circumstances.authority,
    events,
    global_unsubscribe: after.globalUnsubscribe,
    language: circumstances.language,
    ip: circumstances.ip === null ? null : anonymiseIp(circumstances.ip),
    occurred_at: now,
  };
  if (customer.person_salt === null) throw notFound('This customer');
  const person = sealPerson(services.keyring, site.id, customer.person_salt, {
    email,
    user_agent: circumstances.userAgent?.slice(0, 300) ?? null,
  });
  const hash = evidenceHash(customer.evidence_hash, {
    ...choice,
    site_id: site.id,
    occurred_at: now.toISOString(),
    lists: transition.lists,
    shown: circumstances.shown,
    person: person.hash.toString('hex'),
  });
  const matching = matchActions(actions, { events, lists: transition.lists });
  await site.commitWith([
    saveCustomerState(site, customer.id, {
      global_unsubscribe: after.globalUnsubscribe,
      consent_epoch: customer.consent_epoch + (raisesConsent(transition) ? 1 : 0),
      sequence: choice.sequence,
      evidence_hash: hash,
      email,
      email_key: email.toLowerCase(),
      updated_at: now,
    }),
    ...(changed.length === 0 ? [] : [saveSubscriptions(site, customer.id, changed, now)]),
    insertChoice(site, {
      ...choice,
      lists: JSON.stringify(transition.lists),
      shown: JSON.stringify(circumstances.shown),
      person_hash: person.hash,
      person_sealed: person.sealed,
      previous_hash: customer.evidence_hash,
      hash,
    }),
    ...(await createDeliveries(services, site, {
      choiceId: choice.id,
      customerId: customer.id,
      now,
      actions: matching,
    })),
  ]);
  return { choiceId: choice.id, email, ...after };
}

/** What a choice is held against. */
export interface Rules {
  lists: { id: string; name: string }[];
  actions: MatchableAction[];
}

/** Kept between changes; see `changeSite`. */
export async function rulesOf(services: Services, siteId: string): Promise<Rules> {
  return services.cache.get(siteTag(siteId), 'rules', () =>
    services.database.readSite(siteId, async (site) => {
      const [lists, actions] = await Promise.all([allLists(site), enabledActions(site)]);
      return { lists: lists.map(({ id, name }) => ({ id, name })), actions };
    }),
  );
}
