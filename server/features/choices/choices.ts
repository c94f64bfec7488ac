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
  subscriptionsBehindLock,
  subscriptionsOf,
} from '#server/features/customers/customers.sql.ts';
import { createDeliveries } from '#server/features/deliveries/deliveries.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#server/platform/database-errors.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { inTurn } from '#server/platform/in-turn.ts';
import type { Services } from '#server/platform/services.ts';
import { findChoiceBySaveId, insertChoice, saveCustomerState, saveSubscriptions } from './choices.sql.ts';
import { draftChoice } from './draft.ts';
import type { CustomerState, Wish } from './transitions.ts';

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
      services.database.inSiteAfter(
        siteId,
        // The lock goes first: what is read behind it is read after it was granted.
        (db) => [lockCustomer(db, siteId, customerId), subscriptionsBehindLock(db, siteId, customerId)],
        async (site, [[customer], subscriptions]) => {
          if (customer === undefined) throw notFound('This customer');
          const before = stateOf(customer, subscriptions);
          return commitChoice(services, site, rules, { customer, before }, wish, [], circumstances);
        },
      ),
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
  if (wish.email !== undefined) await refuseTakenEmail(site, customer, wish.email);
  const now = firstEvents.length > 0 ? customer.created_at : services.clock.now();
  const made = { id: newId(), at: now, firstEvents, circumstances };
  const draft = draftChoice(services.keyring, site.id, lists, { customer, before }, wish, made);
  if (draft === null) {
    const { saveId } = circumstances;
    const first = saveId === null ? undefined : await findChoiceBySaveId(site, customer.id, saveId);
    return { choiceId: first?.id ?? null, email: customer.email ?? '', ...before };
  }
  const { choice, changed, events, transition, after } = draft;
  await site.commitWith([
    saveCustomerState(site, customer.id, draft.customer),
    ...(changed.length === 0 ? [] : [saveSubscriptions(site, customer.id, changed, now)]),
    insertChoice(site, choice),
    ...(await createDeliveries(services, site, {
      choiceId: choice.id,
      customerId: customer.id,
      now,
      actions: matchActions(actions, { events, lists: transition.lists }),
    })),
  ]);
  return { choiceId: choice.id, email: draft.customer.email, ...after };
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
