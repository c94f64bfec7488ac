import type { LeaveReason } from '#contract/choices.ts';
import type { ListPreference } from '#contract/customers.ts';
import type { PendingKind } from '#contract/pending-changes.ts';
import type { DataKind, PauseLength, ProgressState, PublicCustomer } from '#contract/public-preferences.ts';
import type { ViewCustomer } from './view.ts';

export type Identity = { challenge: string } | { email: string };

export type ChoiceSource = 'page' | 'state_link';

export type SaveOptions = { saveId: string; source: ChoiceSource };

/** The kinds of failure that a visitor is shown. */
export type Failure = 'offline' | 'busy' | 'server' | 'expired' | 'changed' | 'link_expired';

export class ServiceError extends Error {
  readonly failure: Failure;
  /** True if a retry is pointless and the page has nothing to show. */
  readonly isFatal: boolean;
  readonly isInvalid: boolean;
  /** The page asks for proof: a personal link is mailed, if the address is known. */
  readonly needsProof: boolean;

  constructor(failure: Failure, { isFatal = false, isInvalid = false, needsProof = false } = {}) {
    super(failure);
    this.name = 'ServiceError';
    this.failure = failure;
    this.isFatal = isFatal;
    this.isInvalid = isInvalid;
    this.needsProof = needsProof;
  }
}

/**
 * A customer after a save, and the receipt that undoes it; null if nothing changed. `ignored`: the page no longer offers some
 * of what was sent.
 */
export type Saved = { customer: ViewCustomer; receipt: string | null; ignored?: boolean };

/** All side effects of the page. Each call throws a ServiceError on failure. */
export type PageService = {
  find(identity: Identity): Promise<PublicCustomer>;
  load(customer: PublicCustomer): Promise<ViewCustomer>;
  saveLists(
    customer: ViewCustomer,
    lists: ListPreference[],
    options: SaveOptions & { leavesAll: boolean },
  ): Promise<Saved>;
  setGlobal(customer: ViewCustomer, globalUnsubscribe: boolean, options: SaveOptions): Promise<Saved>;
  pause(customer: ViewCustomer, length: PauseLength, saveId: string): Promise<ViewCustomer>;
  undo(customer: ViewCustomer, receipt: string, saveId: string): Promise<ViewCustomer>;
  giveReason(customer: ViewCustomer, receipt: string, reason: LeaveReason): Promise<void>;
  changeEmail(customer: ViewCustomer, email: string, saveId: string): Promise<ViewCustomer>;
  /** Gives the masked address that the confirmation was mailed to. */
  requestData(customer: ViewCustomer, kind: DataKind): Promise<string>;
  /** Gives the masked address that it is confirmed to, and the time by which it is answered. */
  complain(customer: ViewCustomer, text: string): Promise<{ masked_email: string; due_at: string }>;
  /** Gives the masked address that a fresh link was mailed to. */
  mailFreshLink(customer: ViewCustomer): Promise<string>;
  /** Mails the link of a pending change again. */
  resend(customer: ViewCustomer, kind: PendingKind): Promise<void>;
  /** Ends all personal links; gives the customer as an ended one shows them. */
  endLinks(customer: ViewCustomer): Promise<ViewCustomer>;
  newSaveId(): string;
  /** Resolves after the loader's second. */
  hold(): Promise<void>;
  /** How far the latest choice has got in the email systems; only for customers who came by a valid link. */
  progress(customer: ViewCustomer): Promise<ProgressState>;
  /** Resolves when a person has had the page before them for the loader's second, or this long; never while hidden. */
  seen(signal: AbortSignal, ms?: number): Promise<void>;
  /** A `state=` link was applied: reloading the page must not repeat it. */
  forgetLinkState(): void;
  goToNotFound(how: 'assign' | 'replace'): void;
  /** Embedded in a frame, which cannot show a separate page like /404. */
  isFramed: boolean;
  /** Scrolls something into view if only the parent page can. */
  show(element: Element | null): void;
};

export const failureOf = (error: unknown): Failure =>
  error instanceof ServiceError ? error.failure : 'server';

/** The customer after a save of some lists. */
export function withLists(customer: ViewCustomer, saved: readonly ListPreference[]): ViewCustomer {
  const lists = new Map(customer.lists.map((list) => [list.id, list]));
  for (const { notification_list_id: id, subscribed } of saved) lists.set(id, { id, subscribed });
  return { ...customer, lists: [...lists.values()] };
}
