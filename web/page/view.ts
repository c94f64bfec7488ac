import type { ReportReason } from '#contract/abuse-reports.ts';
import type { LeaveReason } from '#contract/choices.ts';
import type { ListPreference } from '#contract/customers.ts';
import type { Language } from '#contract/fields.ts';
import type { PublicPage } from '#contract/preference-pages.ts';
import type { PendingChange, PendingKind } from '#contract/pending-changes.ts';
import type { OpenedCustomerPage, PauseDays, PublicCustomer } from '#contract/public-preferences.ts';
import type { TextKey } from './texts.ts';

/** Field names of the plain forms; `submission.ts` reads them back. */
export const FIELD = {
  intent: 'intent',
  email: 'email',
  customer: 'customer',
  saveId: 'save_id',
  list: 'list',
  on: 'on',
  newEmail: 'new_email',
  state: 'state',
  receipt: 'receipt',
  reason: 'reason',
  days: 'days',
  until: 'until',
  text: 'text',
  /** Of a button whose intent differs from that of its form. */
  instead: 'instead',
  kind: 'kind',
  /** Unsubscribe from all was pressed, but not saved yet. */
  leavesAll: 'leaves_all',
} as const;

/** The form of the switches; buttons elsewhere on the page belong to it, too. */
export const CHOICES_FORM = 'pp-choices';

export const INTENTS = [
  'find',
  'save',
  'unsubscribe_all',
  'change_email',
  'state',
  'pause',
  'resume',
  'leave',
  'wrong_recipient',
  'undo',
  'reason',
  'language',
  'data_request',
  'fresh_link',
  'complain',
  'end_links',
  'resend',
  'confirm',
] as const;
export type Intent = (typeof INTENTS)[number];

export type PageStep =
  | 'form'
  | 'preferences'
  | 'leave'
  | 'link-sent'
  | 'confirm'
  | 'report'
  | 'taken-down'
  | 'link-void'
  | 'not-found'
  | 'rate-limited'
  | 'unavailable';

export const LINK_STATES = ['subscribe', 'unsubscribe'] as const;
export type LinkState = (typeof LINK_STATES)[number];

/** The query of the page's URL. */
export type PageQuery = {
  challenge: string | null;
  email: string | null;
  state: LinkState | null;
  listId: string | null;
};

export type ViewCustomer = PublicCustomer & {
  lists: { id: string; subscribed: boolean | null }[];
  /** Lists that the page has stopped offering since it was opened. */
  gone?: readonly string[];
  /** Awaits confirmation by email. */
  pending: PendingChange[];
};

/** The outcome of the submitted form. */
export type PageNotice =
  /** `left`: it ended a subscription. */
  /** `held`: some of it awaits confirmation by email. */
  /** `ignored`: some of it is no longer offered. */
  | { kind: 'saved'; left: boolean; held: boolean; ignored?: boolean; receipt: string | null }
  | { kind: 'email_updated' }
  | { kind: 'state_saved'; state: LinkState; list_id: string | null; held: boolean; receipt: string | null }
  /** All of it awaits confirmation, which the pending note says. */
  | { kind: 'held' }
  | { kind: 'paused' }
  | { kind: 'resumed' }
  | { kind: 'undone' }
  | { kind: 'reason_given' }
  | { kind: 'data_requested'; masked_email: string }
  | { kind: 'complained'; masked_email: string; due_at: string }
  | { kind: 'fresh_link_sent'; masked_email: string }
  | { kind: 'links_ended' }
  /** The email about a pending change was sent again. */
  | { kind: 'resent'; pending: PendingKind }
  | { kind: 'error'; key: TextKey; field: 'email' | 'new_email' | null; value: string };

/** The landing page of `/u/{challenge}`; `list_name` null: everything. */
export type LeaveView = {
  masked_email: string;
  list_name: string | null;
  /** The link's list is gone: the page offers everything instead. */
  list_deleted: boolean;
  action: string;
  full_page_url: string | null;
  offers_pause: boolean;
  done: 'left' | 'paused' | 'wrong_recipient' | null;
  paused_until: string | null;
  /** The receipt for the undo and reason forms; null if nothing changed. */
  receipt: string | null;
};

/** The page behind a mailed link: what its one button does, or why it cannot. */
export type ConfirmView = {
  kind:
    | 'email_undo'
    | 'data_download'
    | 'data_erasure'
    | 'resubscribe'
    | 'email_change'
    | 'resubscribe_undo'
    | 'restore';
  /** The names of the lists concerned; empty: everything, or not about lists. */
  lists?: string[];
  /** Masked, but for a new email that asks to be confirmed: who has the link reads that inbox. */
  email: string;
  action: string;
  done: boolean;
  /** `changed`: there was a later choice. `taken`: another customer has the address now. */
  refusal: 'changed' | 'taken' | null;
};

/** The form that reports a page to the operator of the service, as it was filled in. */
export type ReportView = {
  /** The reported page. */
  url: string;
  action: string;
  reason: ReportReason | null;
  text: string;
  email: string;
  /** The field to correct. */
  problem: 'reason' | 'email' | null;
  done: boolean;
};

/** Everything the renderer needs; plain data, so that server, browser and the owner's preview draw the same page. */
export type PageView = {
  language: Language;
  step: PageStep;
  page: PublicPage;
  custom_path: string;
  /** null in step `preferences`: a loader is shown until the browser has identified the customer. */
  customer: ViewCustomer | null;
  query: PageQuery;
  notice: PageNotice | null;
  /** Unsaved switches from before a change of the language. */
  edits: Readonly<Record<string, boolean>>;
  save_id: string;
  leave: LeaveView | null;
  confirm: ConfirmView | null;
  report?: ReportView;
  /** Unsubscribe from all was pressed before a change of the language, but not saved yet. */
  leaves_all: boolean;
};

// The contract's own, written out: importing them from there would bring zod to every visitor. A test keeps them equal.
export const PAUSE_DAYS: readonly PauseDays[] = [30, 60, 90];
export const PAUSE_UNTIL = { minDays: 7, maxDays: 365 };
export const MAX_COMPLAINT = 2000;
export const LEAVE_REASONS: readonly LeaveReason[] = [
  'too_many',
  'not_relevant',
  'never_signed_up',
  'no_longer_customer',
  'other',
];

export type PublicList = PublicPage['lists'][number];

export const NO_QUERY: PageQuery = { challenge: null, email: null, state: null, listId: null };

/** For steps outside any page: unknown hosts and paths. */
export const NEUTRAL_PAGE: PublicPage = {
  name: '',
  logo: '',
  logo_size: null,
  favicon: '',
  lists: [],
  languages: { default: 'en', active_languages: [] },
  operator: null,
  attrs: {
    primary_color: '#009AD0',
    text_color: '#2C3D20',
    background_color: '#F8F8F8',
    template_id: 'default_preference_page',
    language: 'en',
    allow_email_change: true,
    unsubscribe_all: true,
    enhanced_security: false,
    remove_badge: true,
    confirm_links: false,
    confirm_changes: false,
    offer_pause: false,
    tag_subject: '',
    tag_pre_name: '',
    saved_preferences_msg: '',
  },
};

/** Builds a view from its differences to an empty form. */
export function viewOf(parts: Pick<PageView, 'step' | 'language'> & Partial<PageView>): PageView {
  return {
    page: NEUTRAL_PAGE,
    custom_path: '',
    customer: null,
    query: NO_QUERY,
    notice: null,
    edits: {},
    save_id: '',
    leave: null,
    confirm: null,
    leaves_all: false,
    ...parts,
  };
}

/** The customer of the API's page. */
export function viewCustomer({ customer, lists, pending }: OpenedCustomerPage): ViewCustomer {
  return { ...customer, lists, pending };
}

/** Whether some of these changes await confirmation by email, and so are not in effect yet. */
export function isHeld(wanted: readonly ListPreference[], after: ViewCustomer): boolean {
  if (after.pending.every(({ kind }) => kind === 'email_change')) return false;
  const on = new Set(after.lists.flatMap(({ id, subscribed }) => (subscribed ? [id] : [])));
  return wanted.some((one) => one.subscribed && !on.has(one.notification_list_id));
}

/**
 * Spec section 9: the page's default language, or else one of its active languages that the browser names.
 * The default counts as active: a browser that prefers it to the others gets it.
 */
export function chooseLanguage(
  languages: PublicPage['languages'] | null | undefined,
  browserLanguages: readonly string[],
): Language {
  if (!languages) return 'en';
  const offered = [languages.default, ...languages.active_languages];
  for (const tag of browserLanguages) {
    const primary = tag.toLowerCase().split('-')[0];
    const found = offered.find((language) => language === primary);
    if (found) return found;
  }
  return languages.default;
}

/** The languages that a page speaks, its default first. */
export function offeredLanguages({ languages }: Pick<PublicPage, 'languages'>): Language[] {
  return [...new Set([languages.default, ...languages.active_languages])];
}

/** A path of the same host that goes on in the language of this view. */
export function inLanguage({ page, language }: Pick<PageView, 'page' | 'language'>, path: string): string {
  if (offeredLanguages(page).length < 2) return path;
  return `${path}${path.includes('?') ? '&' : '?'}lang=${language}`;
}

/** The action of the page's plain forms, which keeps the chosen language. */
export function actionOf(view: Pick<PageView, 'page' | 'language' | 'custom_path'>): string {
  return inLanguage(view, `/${view.custom_path}`);
}

/** Spec section 9: the one translation in this language, else the base text. */
export function listText(list: PublicList, language: string): { name: string; description: string } {
  const matching = list.translations.filter((translation) => translation.language === language);
  const [only] = matching;
  const { name, description } = only && matching.length === 1 ? only : list;
  return { name, description };
}

/** Whether the customer is permanently unsubscribed from everything. A pause shows the state after it. */
export function hasLeft(customer: ViewCustomer | null): boolean {
  return customer !== null && customer.global_unsubscribe && customer.paused_until === null;
}

/** Whether the customer came by an expired or revoked link. Then the page can only unsubscribe. */
export function mayOnlyLeave({ level }: Pick<ViewCustomer, 'level'>): boolean {
  return level === 'leave';
}

/** Whether the server's HTML of this view has some of `parts.ts`. */
export function showsParts({ customer, notice, page, query }: PageView): boolean {
  if (customer === null) return false;
  const isByTwo = query.challenge !== null && query.email !== null;
  const isAboutLink = query.state !== null || mayOnlyLeave(customer);
  const isWaiting = customer.pending.length > 0;
  const isPausable = page.attrs.offer_pause || customer.paused_until !== null;
  return notice !== null || isByTwo || isAboutLink || isWaiting || isPausable;
}

/** The customer as shown right after revoking the link. */
export function withEndedLink(customer: ViewCustomer): ViewCustomer {
  return mayOnlyLeave(customer)
    ? customer
    : { ...customer, level: 'leave', email: maskEmail(customer.email) };
}

/** A day, written out as the language does; the same on the server and in every browser. */
export function dayText(language: Language, iso: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(iso));
}

/** Whether the customer switched the list on and still has to confirm that by email. */
export function isWaiting({ id }: PublicList, customer: ViewCustomer | null): boolean {
  if (customer === null || mayOnlyLeave(customer)) return false;
  return customer.pending.some(
    ({ kind, list_ids: ids }) => kind === 'subscribe' && ids?.includes(id) === true,
  );
}

/** What a switch shows: on also while the list waits to be confirmed. */
export function isShownOn(list: PublicList, customer: ViewCustomer | null): boolean {
  return isWaiting(list, customer) || isReceived(list, customer);
}

/** Spec section 9: subscribed if set, else the default; nothing after a global opt-out. */
export function isReceived(list: PublicList, customer: ViewCustomer | null): boolean {
  if (hasLeft(customer) || customer?.gone?.includes(list.id)) return false;
  const own = customer?.lists.find(({ id }) => id === list.id)?.subscribed;
  return own ?? list.subscription_default_state;
}

/** The list that a `state=` link means; null stands for everything (spec section 4). */
export function listOfLink(page: PublicPage, query: PageQuery): PublicList | null {
  return page.lists.find(({ id }) => id === query.listId) ?? null;
}

/**
 * The lists saved along with an email change: as shown, but without subscriptions that are only defaults, or that
 * predate a global opt-out.
 */
export function choicesToConfirm(
  lists: readonly PublicList[],
  customer: ViewCustomer,
  edits: Readonly<Record<string, boolean>>,
): ListPreference[] {
  return lists.flatMap((list) => {
    const edited = edits[list.id];
    const known = customer.lists.find(({ id }) => id === list.id)?.subscribed ?? null;
    const subscribed = edited ?? isShownOn(list, customer);
    const isMadeUp = hasLeft(customer) || (known === null && subscribed);
    return edited === undefined && isMadeUp ? [] : [{ notification_list_id: list.id, subscribed }];
  });
}

/** The page's heading: the owner's own, or the translated one. */
export function subtitleOf(page: PublicPage, translatedFor: string): string {
  const before = page.attrs.tag_pre_name || translatedFor;
  return `${before.trimEnd()} ${page.name}`.trim();
}

/** `n•••@example.com`: enough to recognise one's own address, too little to learn another's. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '•••' : `${[...email][0]}•••${email.slice(at)}`;
}
