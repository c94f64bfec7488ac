import type { ListPreference } from '#contract/customers.ts';
import { isSameAddress } from '#contract/email-key.ts';
import { SIMPLE_EMAIL } from '#contract/email-address.ts';
import { email as emailField, type Language } from '#contract/fields.ts';
import type { PauseLength } from '#contract/public-preferences.ts';
import {
  type CustomerSession,
  openSessionToken,
  requireSessionToken,
} from '#server/accounts/access/customer-session-token.ts';
import { linkExpired } from '#server/audience/customers/link-levels.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { findOpenedPage, type ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import { listsShownOn } from '#server/choices/choices/shown-lists.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { fileComplaint } from '#server/visit/complaints/complaints.ts';
import { requestData } from '#server/visit/personal-data/personal-data.ts';
import { resendConfirmation } from '#server/visit/public-customers/resend-confirmation.ts';
import { endOwnLinks, mailFreshLink } from '#server/visit/public-customers/visitor-links.ts';
import {
  givePublicReason,
  openCustomer,
  saveLists,
  undoPublicChoice,
  updatePublicCustomer,
} from '#server/visit/public-customers/public-customers.ts';
import { emailErrorKey } from '#web/page/email.ts';
import type { Submission } from '#web/page/submission.ts';
import {
  hasLeft,
  isReceived,
  isShownOn,
  isWaiting,
  mayOnlyLeave,
  type PageNotice,
  type PageQuery,
  type PageView,
  type ViewCustomer,
} from '#web/page/view.ts';
import { orWrongLength } from './leave-links.ts';
import { findOnPage, loadCustomer, pageView } from './page-views.ts';

interface Sent {
  services: Services;
  visit: Visit;
  served: ServedPage;
  language: Language;
  /** The query of the form's URL, which carries identity and link. */
  query: PageQuery;
}

type Known = Exclude<Extract<Submission, { customer: string }>, { intent: 'language' }>;
type Afterwards = Extract<Submission, { who: unknown }>;
/** The submission of a known customer. */
type Saving = Known | (WithoutWho<Afterwards> & Identified);
type WithoutWho<S> = S extends unknown ? Omit<S, 'who'> : never;
type Identified = NonNullable<Afterwards['who']>;

/** Handles a plain form post: returns the next view, with the outcome. */
export async function handleSubmission(sent: Sent, submission: Submission): Promise<PageView | null> {
  switch (submission.intent) {
    case 'find':
      return find(sent, submission.email);
    case 'leave':
    case 'wrong_recipient':
    case 'confirm':
      return null;
    case 'pause':
    case 'undo':
    case 'reason': {
      const { who, ...asked } = submission;
      return who && saveOf(sent, { ...asked, ...who });
    }
    case 'language':
      return showAgain(sent, submission);
    default:
      return saveOf(sent, submission);
  }
}

async function find({ services, visit, served, language }: Sent, typed: string): Promise<PageView> {
  const email = emailField.safeParse(typed);
  if (!SIMPLE_EMAIL.test(typed) || !email.success) {
    const notice: PageNotice = {
      kind: 'error',
      key: 'pref_template.error_invalid',
      field: 'email',
      value: typed,
    };
    return pageView(served, language, { step: 'form', notice });
  }
  const opened = await openByAddress(services, visit, served, email.data);
  if (opened === null) return pageView(served, language, { step: 'link-sent' });
  const session = requireSessionToken(services, visit.siteId, opened.id);
  const customer = await loadCustomer(services, visit.siteId, served, session);
  return pageView(served, language, { step: 'preferences', customer });
}

/** null if the page asks for proof: then a link is mailed, if the address is known. */
async function openByAddress(services: Services, visit: Visit, served: ServedPage, email: string) {
  try {
    return await openCustomer(services, visit, { email, custom_path: served.customPath });
  } catch (error) {
    if (error instanceof AppError && error.code === 'proof_needed') return null;
    throw error;
  }
}

/** How a form showed the lists that may look otherwise now. */
async function shownOnForm(
  services: Services,
  { siteId }: Visit,
  { sequence }: CustomerSession,
  now: ViewCustomer,
): Promise<ReadonlyMap<string, boolean>> {
  const { id, sequence: latest } = requireSessionToken(services, siteId, now.id);
  if (latest === sequence) return new Map();
  return listsShownOn(services, siteId, id, { sequence });
}

/** The same page in another language, with unsaved switches preserved. */
async function showAgain(
  sent: Sent,
  { customer: id, lists, leavesAll }: Extract<Submission, { intent: 'language' }>,
): Promise<PageView> {
  const { services, visit, served, language, query } = sent;
  return orExpired(sent, async () => {
    const session = requireSessionToken(services, visit.siteId, id);
    const customer = await loadCustomer(services, visit.siteId, served, session);
    const sentAs = new Map(lists.map((one) => [one.notification_list_id, one.subscribed]));
    const shown = await shownOnForm(services, visit, session, customer);
    // Only what was really moved: a switch that a default suggests, or that stood otherwise, is not a choice.
    const moved = served.page.lists.flatMap((list) => {
      const on = sentAs.get(list.id);
      const isStill =
        on === isShownOn(list, customer) || (!isWaiting(list, customer) && on === shown.get(list.id));
      return on === undefined || isStill ? [] : [[list.id, on] as const];
    });
    // Beside a challenge it may belong to another person, whom the page still has to offer.
    const isKept = query.challenge !== null || isSameAddress(query.email ?? '', customer.email);
    const email = isKept ? query.email : null;
    return pageView(served, language, {
      step: 'preferences',
      customer,
      edits: Object.fromEntries(moved),
      leaves_all: leavesAll,
      query: { ...query, email },
    });
  });
}

/**
 * A form sent twice is saved once. Sent again with other switches, after going back, it is a new save: without a
 * script, the page cannot give it a new id.
 */
function saveIdOf(submission: Saving): string {
  return sha256(JSON.stringify(submission)).toString('base64url');
}

async function saveOf(sent: Sent, form: Saving): Promise<PageView> {
  const { services, visit, served, language } = sent;
  const submission = { ...form, saveId: saveIdOf(form) };
  return orExpired(sent, async () => {
    const session = requireSessionToken(services, visit.siteId, submission.customer);
    const before = await findOnPage(services, visit.siteId, served, session);
    if (before === null) return saveClosed(sent, session, submission);
    const notice = await orLinkExpired(() => executeSubmission(sent, session, before, submission));
    const customer = await loadCustomer(services, visit.siteId, served, session);
    return pageView(served, language, { step: 'preferences', customer, notice });
  });
}

/** The page asks for a personal link by now: what lowers consent is saved, and nothing shown. */
async function saveClosed(sent: Sent, session: CustomerSession, submission: Saving): Promise<PageView> {
  const { services, visit, served, language } = sent;
  const options = { saveId: submission.saveId, source: 'page' as const, isForm: true };
  if (submission.intent === 'save') {
    const { lists, leavesAll } = submission;
    await saveLists(services, visit, session, lists, { ...options, leavesAll });
  } else if (submission.intent === 'state') await followLink(sent, session, submission);
  else if (submission.intent === 'pause') await pause(sent, session, submission.length, options);
  else throw notFound('This customer');
  const notice = { kind: 'saved', left: false, held: false, receipt: null } as const;
  return pageView(served, language, { step: 'form', notice });
}

/**
 * The page that a form was sent from: it may have another path by now, ask for a personal link, or be gone. null: the form
 * names none.
 */
export async function pageOfForm(
  services: Services,
  siteId: string,
  submission: Submission,
  path: string,
): Promise<ServedPage | null> {
  const who = 'who' in submission ? submission.who : submission;
  if (who === null || !('customer' in who)) return null;
  const opened = openSessionToken(services, siteId, who.customer);
  if (opened === null || opened.expiresAt <= services.clock.now()) return null;
  const lists = 'lists' in submission ? submission.lists.map((one) => one.notification_list_id) : [];
  return (await findOpenedPage(services, siteId, opened.session, lists, path)).served;
}

/** Says on the opened page what an aged link may not do. */
async function orLinkExpired(work: () => Promise<PageNotice>): Promise<PageNotice> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'link_expired') throw error;
    return { kind: 'error', key: 'save_error.link_expired', field: null, value: '' };
  }
}

/** A page that was open for too long returns to the entry form, if the page has one. */
async function orExpired({ served, language }: Sent, work: () => Promise<PageView>): Promise<PageView> {
  try {
    return await work();
  } catch (error) {
    const isExpired = error instanceof AppError && error.code === 'not_found';
    if (!isExpired || served.page.attrs.enhanced_security) throw error;
    const notice: PageNotice = { kind: 'error', key: 'form_error.expired', field: null, value: '' };
    return pageView(served, language, { step: 'form', notice });
  }
}

async function executeSubmission(
  sent: Sent,
  session: CustomerSession,
  before: ViewCustomer,
  submission: Saving,
): Promise<PageNotice> {
  const { services, visit } = sent;
  const { saveId } = submission;
  const options = { saveId, source: 'page' as const, isForm: true };
  switch (submission.intent) {
    case 'save': {
      const { lists, leavesAll } = submission;
      const saved = await saveLists(services, visit, session, lists, { ...options, leavesAll });
      const left = (leavesAll && !hasLeft(before)) || leavesSomething(sent, before, lists);
      const ignored = saved.ignored.length > 0;
      return { kind: 'saved', left, held: holdsSome(saved, lists), ignored, receipt: saved.receipt };
    }
    case 'data_request': {
      const { masked_email } = await requestData(services, visit, session, submission.kind);
      return { kind: 'data_requested', masked_email };
    }
    case 'complain': {
      const { masked_email, due_at } = await fileComplaint(services, visit, session, submission.text);
      return { kind: 'complained', masked_email, due_at };
    }
    case 'fresh_link': {
      const { masked_email } = await mailFreshLink(services, visit, session);
      return { kind: 'fresh_link_sent', masked_email };
    }
    case 'resend':
      await resendConfirmation(services, visit, session, submission.kind);
      return { kind: 'resent', pending: submission.kind };
    case 'end_links':
      await endOwnLinks(services, visit, session);
      return { kind: 'links_ended' };
    case 'change_email':
      return changeEmail(services, visit, session, before, submission);
    case 'state':
      return followLink(sent, session, submission);
    case 'pause':
      return pause(sent, session, submission.length, options);
    case 'resume':
      return (await comeBack(sent, session, options)) ? { kind: 'resumed' } : { kind: 'held' };
    case 'undo':
      return undo(sent, session, submission);
    case 'reason': {
      const { receipt, reason } = submission;
      await givePublicReason(services, visit, session, { receipt, reason });
      return { kind: 'reason_given' };
    }
  }
}

function leavesSomething({ served }: Sent, before: ViewCustomer, wanted: readonly ListPreference[]): boolean {
  const off = new Set(wanted.filter((one) => !one.subscribed).map((one) => one.notification_list_id));
  return served.page.lists.some((list) => off.has(list.id) && isReceived(list, before));
}

function holdsSome(
  { lists, pending }: Awaited<ReturnType<typeof saveLists>>,
  wanted: readonly ListPreference[],
): boolean {
  const on = new Set(lists.filter((one) => one.subscribed).map((one) => one.notification_list_id));
  const isMissing = wanted.some((one) => one.subscribed && !on.has(one.notification_list_id));
  return isMissing && pending.some(({ kind }) => kind !== 'email_change');
}

async function pause(
  { services, visit }: Sent,
  session: CustomerSession,
  length: PauseLength,
  options: Parameters<typeof updatePublicCustomer>[4],
): Promise<PageNotice> {
  const saved = await orWrongLength(() => updatePublicCustomer(services, visit, session, length, options));
  if (saved === null) return { kind: 'error', key: 'pause.range', field: null, value: '' };
  return { kind: 'paused' };
}

/** @returns whether it was applied; otherwise it awaits confirmation by email */
async function comeBack(
  { services, visit }: Sent,
  session: CustomerSession,
  options: Parameters<typeof updatePublicCustomer>[4],
): Promise<boolean> {
  const change = { global_unsubscribe: false };
  const answer = await updatePublicCustomer(services, visit, session, change, options);
  return !answer.global_unsubscribe;
}

async function followLink(
  { services, visit, served }: Sent,
  session: CustomerSession,
  { state, listId, saveId }: Extract<Saving, { intent: 'state' }>,
): Promise<PageNotice> {
  const options = { saveId, source: 'state_link' as const, isForm: true };
  const list = served.page.lists.find(({ id }) => id === listId) ?? null;
  const subscribed = state === 'subscribe';
  if (list === null && listId !== null) {
    return { kind: 'error', key: 'result.ignored', field: null, value: '' };
  }
  if (list === null) {
    const change = { global_unsubscribe: !subscribed };
    const answer = await updatePublicCustomer(services, visit, session, change, options);
    const held = answer.global_unsubscribe === subscribed;
    return { kind: 'state_saved', state, list_id: null, held, receipt: answer.receipt };
  }
  const wanted = [{ notification_list_id: list.id, subscribed }];
  const saved = await saveLists(services, visit, session, wanted, { ...options, leavesAll: false });
  const held = holdsSome(saved, wanted);
  return { kind: 'state_saved', state, list_id: list.id, held, receipt: saved.receipt };
}

async function undo(
  { services, visit }: Sent,
  session: CustomerSession,
  { receipt, saveId }: Extract<Saving, { intent: 'undo' }>,
): Promise<PageNotice> {
  try {
    await undoPublicChoice(services, visit, session, receipt, saveId);
    return { kind: 'undone' };
  } catch (error) {
    const isPast = error instanceof AppError && (error.code === 'conflict' || error.code === 'invalid_field');
    if (!isPast) throw error;
    return { kind: 'error', key: 'save_error.changed', field: null, value: '' };
  }
}

async function changeEmail(
  services: Services,
  visit: Visit,
  session: CustomerSession,
  before: ViewCustomer,
  { newEmail, saveId }: Extract<Saving, { intent: 'change_email' }>,
): Promise<PageNotice> {
  const wrong = (key: Extract<PageNotice, { kind: 'error' }>['key']): PageNotice => ({
    kind: 'error',
    key,
    field: 'new_email',
    value: newEmail,
  });
  if (mayOnlyLeave(before)) throw linkExpired();
  const key = emailErrorKey(newEmail, before.email);
  if (key !== null) return wrong(key);
  const email = emailField.safeParse(newEmail);
  if (!email.success) return wrong('modal_mail.error_invalid');
  try {
    const answer = await updatePublicCustomer(
      services,
      visit,
      session,
      { email: email.data },
      { saveId, source: 'page' },
    );
    return isSameAddress(answer.email, email.data) ? { kind: 'email_updated' } : { kind: 'held' };
  } catch (error) {
    const isSaidElsewhere =
      error instanceof AppError && (error.code === 'rate_limited' || error.code === 'link_expired');
    if (isSaidElsewhere) throw error;
    if (error instanceof AppError && error.status < 500) return wrong('modal_mail.error_exists');
    throw error;
  }
}
