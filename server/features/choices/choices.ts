import type { ChoiceEvent, ChoiceSource, Evidence, Requested } from '#contract/choices.ts';
import { emailKey } from '#contract/email-key.ts';
import type { Language } from '#contract/fields.ts';
import { allLists } from '#server/features/lists/lists.ts';
import { enabledActions, type WaitingAction } from '#server/features/actions/actions.sql.ts';
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
import { appointment } from '#server/features/customers/appointments.sql.ts';
import { createDeliveries } from '#server/features/deliveries/deliveries.ts';
import { hasToldSince } from '#server/features/deliveries/deliveries.sql.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#server/platform/database-errors.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { inTurn } from '#server/platform/in-turn.ts';
import { sign } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import {
  addressChangesAfter,
  findChoiceBySaveId,
  insertChoice,
  insertMoves,
  saveCustomerState,
  saveSubscriptions,
} from './choices.sql.ts';
import { draftChoice } from './draft.ts';
import { raisesConsent } from './lowering.ts';
import { cameBackSince, type ToldMoment, wasPausedBefore } from './told-moments.ts';
import type { ChoosableList, CustomerState, Wish } from './transitions.ts';

/** How a choice was made: what the evidence says beside the change itself. */
export interface Circumstances {
  source: ChoiceSource;
  authority: Evidence['authority'];
  /** Sent by the client; the same one again changes nothing. */
  saveId: string | null;
  /** What was sent with the save id: the same id with anything else is refused. */
  saveBody?: unknown;
  language: Language | null;
  ip: string | null;
  userAgent: string | null;
  shown: Evidence['shown'];
  /** The sequence of the address change that this choice takes back. */
  takesBack?: number;
  /** How it was asked for, where it is confirmed now. */
  requested?: { record: Requested; userAgent: string | null };
  /** The tool that told it is not told what it said itself, unless we told it something after this moment of our clock. */
  toldBy?: { integrationId: string; since: Date };
}

export const NOTHING_SHOWN: Evidence['shown'] = {
  page_id: null,
  page_version: null,
  template_id: null,
  url: null,
  lists: [],
};

/** Of a choice of which nobody saw how it was made. */
export const UNSEEN = { language: null, ip: null, userAgent: null, shown: NOTHING_SHOWN } as const;

export type ChoiceWish = Wish & { email?: string };

/** What has to hold when the customer is locked; otherwise nothing is changed. */
export interface Precondition {
  /** Nothing was chosen after this choice. */
  sequence?: number;
  /** The customer is on this very pause. */
  pausedUntil?: Date;
  /** The address change of this sequence may be taken back; see `mayTakeBack`. */
  addressChange?: number;
  /** The customer has not come back, to what this moment in a tool was about, since then. */
  notBackSince?: ToldMoment;
  /** The customer is on no pause that began before this moment. */
  notPausedBefore?: Date;
  /** No link that proves this customer was ended since this link generation. */
  linkGeneration?: number;
  /** This wish gives the customer nothing that they do not receive now. */
  lowersOnly?: ChoiceWish;
}

/** Statements of others that belong into the transaction of a choice which changes something. */
export type Along = (
  site: SiteDb,
  before: CustomerRow,
  choiceId: string,
  states: { before: CustomerState; after: CustomerState },
) => Promise<Statement[]>;

const NOTHING_ALONG: Along = async () => [];

/**
 * Decides behind the lock what of a wish is done now. `statements` are written in the same transaction, also where
 * nothing else changes; null refuses the whole wish.
 */
export type Admission = (
  site: SiteDb,
  locked: LockedCustomer,
  wish: ChoiceWish,
) => Promise<{ wish: ChoiceWish; statements: Statement[] } | null>;

export interface ChoiceResult extends CustomerState {
  /** null when there was nothing to change: then nothing was written either. */
  choiceId: string | null;
  email: string;
  /** Of the customer's last choice. */
  sequence: number;
  /** The state before this choice; null where nothing was changed (now). */
  before: CustomerState | null;
  /** When this choice was made; null where nothing was changed (now). */
  at: Date | null;
  /** Which precondition did not hold. */
  refused: keyof Precondition | 'admission' | null;
}

/** Spec section 5. */
const EMAIL_EXISTS = 'another customer in the list already exists with the new email';

function stateOf(
  customer: CustomerRow,
  subscriptions: readonly { list_id: string; subscribed: boolean }[],
): CustomerState {
  return {
    globalUnsubscribe: customer.global_unsubscribe,
    pausedUntil: customer.paused_until,
    subscriptions: new Map(subscriptions.map((one) => [one.list_id, one.subscribed])),
  };
}

export async function refuseTakenEmail(site: SiteDb, customer: CustomerRow, email: string): Promise<void> {
  const other = await findCustomerByEmail(site, emailKey(email));
  if (other === undefined || other.id === customer.id) return;
  throw new AppError('error_exists', EMAIL_EXISTS, { field: 'email' });
}

export interface LockedCustomer {
  customer: CustomerRow;
  before: CustomerState;
}

/**
 * Whoever had the address first has the last word: changes that were made on the page meanwhile do not stand in the
 * way, nor does the undo of a later one. What the business wrote since does, and so does the undo of an earlier one.
 */
export async function mayTakeBack(site: SiteDb, customerId: string, sequence: number): Promise<boolean> {
  const since = await addressChangesAfter(site, customerId, sequence);
  return since.every(({ source, takes_back: takesBack }) =>
    source === 'undo'
      ? takesBack !== null && takesBack >= sequence
      : source === 'page' || source === 'confirm_link',
  );
}

async function brokenPrecondition(
  site: SiteDb,
  customer: CustomerRow,
  { sequence, pausedUntil, addressChange, notBackSince, notPausedBefore }: Precondition,
): Promise<keyof Precondition | null> {
  if (notBackSince !== undefined && (await cameBackSince(site, customer.id, notBackSince))) {
    return 'notBackSince';
  }
  if (notPausedBefore !== undefined && (await wasPausedBefore(site, customer, notPausedBefore))) {
    return 'notPausedBefore';
  }
  if (addressChange !== undefined && !(await mayTakeBack(site, customer.id, addressChange))) {
    return 'addressChange';
  }
  if (pausedUntil !== undefined && customer.paused_until?.getTime() !== pausedUntil.getTime()) {
    return 'pausedUntil';
  }
  return sequence !== undefined && customer.sequence !== sequence ? 'sequence' : null;
}

/** What a link no longer proves, or does not prove at all. */
function brokenByLink(
  { customer, before }: LockedCustomer,
  { lists }: Rules,
  { linkGeneration, lowersOnly }: Precondition,
): keyof Precondition | null {
  if (linkGeneration !== undefined && linkGeneration !== customer.link_generation) return 'linkGeneration';
  return lowersOnly !== undefined && raisesConsent(before, lowersOnly, lists) ? 'lowersOnly' : null;
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
  precondition: Precondition = {},
  along: Along = NOTHING_ALONG,
  admission?: Admission,
): Promise<ChoiceResult> {
  // Before the transaction: it may need a connection, and must not wait for one while it holds another.
  const rules = await rulesOf(services, siteId);
  try {
    const saved = await inTurn(customerId, () =>
      services.database.inSiteAfter(
        siteId,
        // The lock goes first: what is read behind it is read after it was granted.
        (db) => [lockCustomer(db, siteId, customerId), subscriptionsBehindLock(db, siteId, customerId)],
        async (site, [[customer], subscriptions]) => {
          if (customer === undefined) throw notFound('This customer');
          if (customer.merged_into !== null) return customer.merged_into;
          const before = stateOf(customer, subscriptions);
          const refused =
            brokenByLink({ customer, before }, rules, precondition) ??
            (await brokenPrecondition(site, customer, precondition));
          if (refused !== null) return { ...unchanged(customer, before), refused };
          const locked = { customer, before };
          const admitted =
            admission === undefined ? { wish, statements: [] } : await admission(site, locked, wish);
          if (admitted === null) return { ...unchanged(customer, before), refused: 'admission' as const };
          return commitChoice(services, site, rules, locked, admitted.wish, [], circumstances, {
            along,
            statements: admitted.statements,
          });
        },
      ),
    );
    if (typeof saved !== 'string') {
      if (saved.at !== null) services.figures.saves.inc({ source: circumstances.source });
      return saved;
    }
    return await saveChoice(services, siteId, saved, wish, circumstances, precondition, along, admission);
  } catch (error) {
    if (isForeignKeyViolation(error)) {
      throw new AppError('invalid_field', 'One of the lists was deleted a moment ago; load the page again.', {
        field: 'body',
      });
    }
    if (!isUniqueViolation(error)) throw error;
    // The save id is unique for the customer: the same save again fails there, and answers what it answered first.
    const repeated = await findRepeated(services, siteId, customerId, circumstances);
    if (repeated !== null) return repeated;
    if (wish.email !== undefined) throw new AppError('error_exists', EMAIL_EXISTS, { field: 'email' });
    throw error;
  }
}

function unchanged(customer: CustomerRow, state: CustomerState): ChoiceResult {
  const { email, sequence } = customer;
  return { choiceId: null, email: email ?? '', sequence, before: null, at: null, refused: null, ...state };
}

async function findRepeated(
  services: Services,
  siteId: string,
  customerId: string,
  circumstances: Circumstances,
): Promise<ChoiceResult | null> {
  const { saveId } = circumstances;
  if (saveId === null) return null;
  return services.database.readSite(siteId, async (site) => {
    const [choice, customer, subscriptions] = await Promise.all([
      findChoiceBySaveId(site, customerId, saveId),
      findCustomer(site, customerId),
      subscriptionsOf(site, customerId),
    ]);
    if (choice === undefined || customer === undefined) return null;
    refuseOtherBody(customer, choice, circumstances);
    return { ...unchanged(customer, stateOf(customer, subscriptions)), choiceId: choice.id };
  });
}

/** With the person's salt: who is erased cannot be found out by it any more. */
function saveHashOf({ person_salt: salt }: CustomerRow, { saveId, saveBody }: Circumstances): Buffer | null {
  if (saveId === null || saveBody === undefined || salt === null) return null;
  return sign(salt, Buffer.from(JSON.stringify(saveBody), 'utf8'));
}

/** @throws AppError `conflict` */
function refuseOtherBody(
  customer: CustomerRow,
  first: { save_hash: Buffer | null },
  circumstances: Circumstances,
): void {
  const hash = saveHashOf(customer, circumstances);
  if (hash === null || first.save_hash === null || first.save_hash.equals(hash)) return;
  throw new AppError(
    'conflict',
    'idempotency-key: this save id came with another choice before, which stands; send a new id with this one.',
    { field: 'idempotency-key' },
  );
}

/** The evidence that a new customer starts with, in the transaction that makes the customer. */
export async function recordCreation(
  services: Services,
  site: SiteDb,
  rules: Rules,
  customer: CustomerRow,
  circumstances: Circumstances,
): Promise<void> {
  const before: CustomerState = {
    globalUnsubscribe: customer.global_unsubscribe,
    pausedUntil: null,
    subscriptions: new Map(),
  };
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
  { along, statements }: { along: Along; statements: Statement[] } = {
    along: NOTHING_ALONG,
    statements: [],
  },
): Promise<ChoiceResult> {
  const wanted = 'lists' in wish ? (wish.lists ?? []) : [];
  const unknown = wanted.findIndex(({ list_id }) => !lists.some((list) => list.id === list_id));
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
    if (first !== undefined) refuseOtherBody(customer, first, circumstances);
    if (statements.length > 0) await site.commitWith(statements);
    return { ...unchanged(customer, before), choiceId: first?.id ?? null };
  }
  const { choice, changed, events, transition, after } = draft;
  const hearing = await actionsThatHear(site, customer.id, actions, circumstances.toldBy);
  await site.commitWith([
    saveCustomerState(site, customer.id, draft.customer),
    ...(changed.length === 0 ? [] : [saveSubscriptions(site, customer.id, changed, now)]),
    insertChoice(site, { ...choice, save_hash: saveHashOf(customer, circumstances) }),
    ...(draft.moves.length === 0 ? [] : [insertMoves(site, choice.id, draft.moves)]),
    ...(choice.paused_until === null
      ? []
      : [appointment(site, { customerId: customer.id, kind: 'resume', dueAt: choice.paused_until, now })]),
    ...(await createDeliveries(services, site, {
      choiceId: choice.id,
      customerId: customer.id,
      now,
      actions: matchActions(hearing, {
        events,
        lists: transition.lists,
      }),
    })),
    ...(await along(site, customer, choice.id, { before, after })),
    ...statements,
  ]);
  const { email } = draft.customer;
  return { choiceId: choice.id, email, sequence: choice.sequence, before, at: now, refused: null, ...after };
}

/** A tool that we have told something of the person since may have lost by it what it told us: it hears it, too. */
async function actionsThatHear(
  site: SiteDb,
  customerId: string,
  actions: readonly WaitingAction[],
  toldBy: Circumstances['toldBy'],
): Promise<readonly WaitingAction[]> {
  if (toldBy === undefined) return actions;
  const others = actions.filter((action) => action.integration_id !== toldBy.integrationId);
  if (others.length === actions.length) return actions;
  return (await hasToldSince(site, customerId, toldBy)) ? actions : others;
}

/** What a choice is held against. */
export interface Rules {
  lists: ChoosableList[];
  actions: WaitingAction[];
}

/** Kept between changes; see `changeSite`. */
export async function rulesOf(services: Services, siteId: string): Promise<Rules> {
  return services.cache.get(siteTag(siteId), 'rules', () =>
    services.database.readSite(siteId, async (site) => {
      const [lists, actions] = await Promise.all([allLists(site), enabledActions(site)]);
      return { lists: lists.map(({ id, name, default_state }) => ({ id, name, default_state })), actions };
    }),
  );
}
