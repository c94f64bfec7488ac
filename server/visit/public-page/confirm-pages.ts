import { listLists } from '#server/audience/lists/lists.ts';
import { findPageForLinks } from '#server/pages/preference-pages/public-pages.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import {
  openPendingLink,
  openResubscribeUndo,
  type PendingLink,
} from '#server/visit/customer-mails/mailed-links.ts';
import {
  type Confirmation,
  confirmChange,
  findConfirmation,
  findResubscribe,
  undoResubscribe,
} from '#server/visit/public-customers/confirm-changes.ts';
import { type ConfirmView, listText, maskEmail, type PageView } from '#web/page/view.ts';
import { requireLiveLink, isNotFound, type MailedVisit } from './mailed-pages.ts';

/** The names of lists on a page behind a link. */
async function namesOf(
  services: Services,
  siteId: string,
  language: string,
  listIds: readonly string[],
): Promise<string[]> {
  if (listIds.length === 0) return [];
  const lists = await listLists(services, siteId);
  return lists.filter(({ id }) => listIds.includes(id)).map((list) => listText(list, language).name);
}

async function confirmViewOf(
  services: Services,
  { visit, token }: MailedVisit,
  { kind }: PendingLink,
  language: string,
  found: Confirmation,
  refusal: ConfirmView['refusal'] = null,
): Promise<ConfirmView> {
  const change = found.done ? null : found.change;
  const isNamed = change !== null && change.kind !== 'email_change' && !change.everything;
  return {
    // Both subscribe, and say so in the same words.
    kind: kind === 'subscribe' ? 'resubscribe' : kind,
    action: `/confirm/${token}`,
    // Masked, it often looks like the one before.
    email: change?.kind === 'email_change' ? change.email : maskEmail(found.email),
    lists: isNamed ? await namesOf(services, visit.siteId, language, change.listIds) : [],
    done: found.done,
    refusal,
  };
}

/** The page behind the link of a pending change. Read-only. */
export async function changeView(services: Services, mailed: MailedVisit): Promise<PageView> {
  const opened = openPendingLink(services, mailed.visit.siteId, mailed.token);
  const { link, draw, language } = await requireLiveLink(services, mailed, opened);
  const found = link && (await findConfirmation(services, mailed.visit.siteId, link));
  if (link === null || found === null) return draw({ step: 'link-void' });
  return draw({ step: 'confirm', confirm: await confirmViewOf(services, mailed, link, language, found) });
}

/** Confirms the change, on a click. */
export async function changeConfirmedView(services: Services, mailed: MailedVisit): Promise<PageView> {
  const { visit, token } = mailed;
  const opened = openPendingLink(services, visit.siteId, token);
  const { link, draw, language } = await requireLiveLink(services, mailed, opened);
  if (link === null) return draw({ step: 'link-void' });
  try {
    const served = await findPageForLinks(services, visit.siteId, link.pageId);
    const found = await confirmChange(services, { ...visit, language }, link, served);
    if (found === null) return draw({ step: 'link-void' });
    return draw({ step: 'confirm', confirm: await confirmViewOf(services, mailed, link, language, found) });
  } catch (error) {
    if (isNotFound(error)) return draw({ step: 'link-void' });
    if (!(error instanceof AppError && error.code === 'error_exists')) throw error;
    const found = await findConfirmation(services, visit.siteId, link);
    if (found === null) return draw({ step: 'link-void' });
    const refused = await confirmViewOf(services, mailed, link, language, found, 'taken');
    return draw({ step: 'confirm', confirm: refused });
  }
}

/** The page behind a resubscribe notice. Unsubscribes again if `isPressed`; otherwise read-only. */
export async function resubscribeUndoView(
  services: Services,
  mailed: MailedVisit,
  isPressed: boolean,
): Promise<PageView> {
  const { visit, token } = mailed;
  const opened = openResubscribeUndo(services, visit.siteId, token);
  const { link, draw, language, served } = await requireLiveLink(services, mailed, opened);
  const found = link && (await findResubscribe(services, visit.siteId, link));
  if (link === null || found === null) return draw({ step: 'link-void' });
  const { email, undo, returned } = found;
  try {
    if (isPressed) await undoResubscribe(services, { ...visit, language }, link, undo, served);
  } catch (error) {
    if (isNotFound(error)) return draw({ step: 'link-void' });
    throw error;
  }
  const confirm: ConfirmView = {
    kind: 'resubscribe_undo',
    action: `/resubscribed/${token}`,
    email: maskEmail(email),
    lists: returned.everything ? [] : await namesOf(services, visit.siteId, language, returned.listIds),
    done: isPressed,
    refusal: null,
  };
  return draw({ step: 'confirm', confirm });
}
