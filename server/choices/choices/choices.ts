import type { ChoiceEvent, ChoiceSource, Evidence, Requested } from '#contract/choices.ts';
import type { Language } from '#contract/fields.ts';
import { siteTag } from '#server/accounts/sites/change-site.ts';
import type { CustomerRow } from '#server/audience/customers/customers.ts';
import type { ToldMoment } from '#server/audience/evidence/told-moments.ts';
import type { ChoosableList, CustomerState, Wish } from '#server/audience/evidence/transitions.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { enabledActions, type WaitingAction } from '#server/delivery/actions/actions.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { SAVES } from './choices.figures.ts';
import { draftChoice } from './draft.ts';
import { choiceStatements, contextOfCaller, saveInBatch } from './save-batch.ts';

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
  /** Whose choice it is: of a customer who was merged, the one they are now. */
  customerId: string;
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

export interface LockedCustomer {
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
  precondition: Precondition = {},
  along?: Along,
  admission?: Admission,
): Promise<ChoiceResult> {
  // Before the transaction: it may need a connection, and must not wait for one while it holds another.
  const rules = await rulesOf(services, siteId);
  const saved = await saveInBatch(services)(siteId, {
    customerId,
    wish,
    circumstances,
    precondition,
    along,
    admission,
    rules,
    inContext: contextOfCaller(),
  });
  if (saved.kind === 'merged') {
    return saveChoice(services, siteId, saved.into, wish, circumstances, precondition, along, admission);
  }
  if (saved.result.at !== null) services.figures.counter(SAVES).inc({ source: circumstances.source });
  return saved.result;
}

/** The evidence that a new customer starts with, in the transaction that makes the customer. */
export async function recordCreation(
  services: Services,
  site: SiteDb,
  { lists, actions }: Rules,
  customer: CustomerRow,
  circumstances: Circumstances,
): Promise<void> {
  const before = {
    globalUnsubscribe: customer.global_unsubscribe,
    pausedUntil: null,
    subscriptions: new Map<string, boolean>(),
  };
  const firstEvents: ChoiceEvent[] = ['customer_created'];
  const made = { id: newId(), at: customer.created_at, firstEvents, circumstances };
  const draft = draftChoice(services.keyring, site.id, lists, { customer, before }, {}, made);
  if (draft === null) throw new Error('That a customer was created is always recorded');
  await site.commitWith(choiceStatements(services, site, [{ draft, actions }]));
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
