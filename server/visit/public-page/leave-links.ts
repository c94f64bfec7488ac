import type { Language } from '#contract/fields.ts';
import type { PauseLength } from '#contract/public-preferences.ts';
import { isTakenDown } from '#server/accounts/sites/sites.ts';
import type { Challenge } from '#server/audience/customers/challenge.ts';
import { getCustomer } from '#server/audience/customers/customers.ts';
import { recordReason } from '#server/audience/evidence/reasons.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { findList } from '#server/audience/lists/lists.ts';
import { findPageForLinks, type ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import {
  byLink,
  leaveByLink,
  pauseByLink,
  reportWrongRecipient,
} from '#server/visit/public-customers/one-click.ts';
import { shownBehindLink } from '#server/visit/public-customers/shown-behind-links.ts';
import { openUndoToken, type UndoToken, sealUndoToken } from '#server/visit/public-customers/undo-tokens.ts';
import { undoChoice } from '#server/visit/public-customers/undo.ts';
import type { Submission } from '#web/page/submission.ts';
import {
  chooseLanguage,
  inLanguage,
  type LeaveView,
  listText,
  maskEmail,
  type PageNotice,
  type PageView,
  viewOf,
} from '#web/page/view.ts';
import { messageView, pageView } from './page-views.ts';

type Landing = {
  link: Challenge;
  /** Query parameters of the landing page. */
  text: string;
  browserLanguages: readonly string[];
};

/** What the landing page says after one of its buttons was pressed. */
type Outcome = Partial<Pick<LeaveView, 'done' | 'list_name' | 'paused_until' | 'receipt'>> & {
  notice?: PageNotice;
};

/** null also while the site's pages are taken down. */
const firstPage = (services: Services, siteId: string) => findPageForLinks(services, siteId, null);

/** The language of the landing page: one of the first page's, or of the product's if the site has no page. */
export async function landingLanguage(
  services: Services,
  siteId: string,
  browserLanguages: readonly string[],
): Promise<Language> {
  const served = await firstPage(services, siteId);
  if (served === null) return messageView('leave', browserLanguages).language;
  return chooseLanguage(served.page.languages, browserLanguages);
}

/** The landing page in the design of the site's first page. It reveals neither the address nor any other page. */
async function landingView(
  services: Services,
  siteId: string,
  { link, text, browserLanguages }: Landing,
  { notice, ...outcome }: Outcome = {},
): Promise<PageView> {
  const [customer, list, served, isDown] = await Promise.all([
    getCustomer(services, siteId, link.customerId),
    link.listId === null ? null : findList(services, siteId, link.listId),
    firstPage(services, siteId),
    isTakenDown(services, siteId),
  ]);
  const blank =
    served === null
      ? { ...messageView('leave', browserLanguages), step: 'leave' as const }
      : pageView(served, chooseLanguage(served.page.languages, browserLanguages), { step: 'leave' });
  const attrs = served?.page.attrs;
  return viewOf({
    ...blank,
    notice: notice ?? null,
    leave: {
      masked_email: maskEmail(customer.email),
      list_name: list === null ? null : listText(list, blank.language).name,
      list_deleted: link.listId !== null && list === null,
      action: inLanguage(blank, `/u/${text}`),
      // Someone who is not the customer has nothing to set there.
      full_page_url:
        outcome.done === 'wrong_recipient' || served === null || attrs?.enhanced_security === true
          ? null
          : inLanguage(blank, `/${served.customPath}`),
      offers_pause: attrs?.offer_pause === true && link.listId === null && !customer.global_unsubscribe,
      done: null,
      paused_until: null,
      receipt: null,
      ...outcome,
      // Of a page that was taken down, nothing is subscribed again.
      ...(isDown && { receipt: null }),
    },
  });
}

/** The page that the link opens. Read-only. */
export function leaveView(services: Services, siteId: string, landing: Landing): Promise<PageView> {
  return landingView(services, siteId, landing);
}

/** Handles the landing page's buttons; null: it's none of them, and nothing happened. */
export async function handleLanding(
  services: Services,
  visit: Visit,
  landing: Landing,
  submission: Submission,
): Promise<PageView | null> {
  switch (submission.intent) {
    case 'leave':
      return left(services, visit, landing, submission.leavesAll);
    case 'wrong_recipient':
      return stopped(services, visit, landing);
    case 'pause':
      return paused(services, visit, landing, submission.length);
    case 'undo':
      if (await isTakenDown(services, visit.siteId)) return null;
      return undone(services, visit, landing, submission.receipt);
    case 'reason':
      return reasoned(services, visit, landing, submission);
    default:
      return null;
  }
}

/** What the landing page said when one of its buttons was pressed. */
const shownOn = (services: Services, visit: Visit, served: ServedPage | null) =>
  shownBehindLink(services, visit, 'leave', served);

/** Unsubscribes on a click, and confirms it. */
async function left(
  services: Services,
  visit: Visit,
  landing: Landing,
  leavesAll: boolean,
): Promise<PageView> {
  const link = leavesAll ? { ...landing.link, listId: null } : landing.link;
  const served = await firstPage(services, visit.siteId);
  const shown = await shownOn(services, visit, served);
  const result = await leaveByLink(services, visit, link, 'leave_link', shown);
  if (result === null) throw notFound('This customer');
  // Deleted since the page was opened: the page then offers everything.
  const isDeleted = link.listId !== null && (await findList(services, visit.siteId, link.listId)) === null;
  if (isDeleted) return leaveView(services, visit.siteId, landing);
  const receipt = await sealUndoToken(services, visit.siteId, link.customerId, result);
  return landingView(services, visit.siteId, landing, {
    done: 'left',
    receipt,
    ...(leavesAll && { list_name: null }),
  });
}

/** Stops everything on a click, because the visitor is not the customer, and confirms it. */
async function stopped(services: Services, visit: Visit, landing: Landing): Promise<PageView> {
  const served = await firstPage(services, visit.siteId);
  const shown = await shownOn(services, visit, served);
  const result = await reportWrongRecipient(services, visit, landing.link, shown);
  if (result === null) throw notFound('This customer');
  const byStranger = { isByStranger: true } as const;
  const receipt = await sealUndoToken(services, visit.siteId, landing.link.customerId, result, byStranger);
  return landingView(services, visit.siteId, landing, { done: 'wrong_recipient', receipt });
}

async function paused(
  services: Services,
  visit: Visit,
  landing: Landing,
  length: PauseLength,
): Promise<PageView | null> {
  const served = await firstPage(services, visit.siteId);
  const isOffered = served?.page.attrs.offer_pause === true && landing.link.listId === null;
  if (!isOffered) return null;
  const { customerId } = landing.link;
  const shown = await shownOn(services, visit, served);
  const result = await orWrongLength(() => pauseByLink(services, visit, landing.link, length, shown));
  if (result === null) {
    const notice: PageNotice = { kind: 'error', key: 'pause.range', field: null, value: '' };
    return landingView(services, visit.siteId, landing, { notice });
  }
  const until = result.pausedUntil;
  // A pause must not replace a permanent opt-out, because it would end.
  if (until === null) return landingView(services, visit.siteId, landing, { done: 'left' });
  const receipt = await sealUndoToken(services, visit.siteId, customerId, result);
  return landingView(services, visit.siteId, landing, {
    done: 'paused',
    paused_until: until.toISOString(),
    receipt,
  });
}

/** null for a day that is too near or too far. */
export async function orWrongLength<T>(pause: () => Promise<T>): Promise<T | null> {
  try {
    return await pause();
  } catch (error) {
    if (error instanceof AppError && error.fields[0]?.field === 'pause_until') return null;
    throw error;
  }
}

function undoTokenOfLink(
  services: Services,
  visit: Visit,
  { link }: Landing,
  sealed: string,
): UndoToken | null {
  const undoToken = openUndoToken(services, visit.siteId, sealed);
  return undoToken?.customerId === link.customerId ? undoToken : null;
}

/** Undoes what the landing page did within the last hour. */
async function undone(services: Services, visit: Visit, landing: Landing, sealed: string): Promise<PageView> {
  const undoToken = undoTokenOfLink(services, visit, landing, sealed);
  const past: Outcome = { notice: { kind: 'error', key: 'save_error.changed', field: null, value: '' } };
  if (undoToken === null) return landingView(services, visit.siteId, landing, past);
  const served = await firstPage(services, visit.siteId);
  const shown = await shownOn(services, visit, served);
  try {
    await undoChoice(services, visit.siteId, undoToken, byLink(visit, 'undo', shown));
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'conflict')) throw error;
    return landingView(services, visit.siteId, landing, past);
  }
  return landingView(services, visit.siteId, landing, { notice: { kind: 'undone' } });
}

async function reasoned(
  services: Services,
  visit: Visit,
  landing: Landing,
  { receipt: sealed, reason }: Extract<Submission, { intent: 'reason' }>,
): Promise<PageView | null> {
  const undoToken = undoTokenOfLink(services, visit, landing, sealed);
  if (undoToken === null) return null;
  await recordReason(services, visit.siteId, undoToken, reason);
  return landingView(services, visit.siteId, landing, {
    done: 'left',
    receipt: sealed,
    notice: { kind: 'reason_given' },
  });
}
