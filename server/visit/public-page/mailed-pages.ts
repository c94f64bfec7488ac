import { isSameAddress } from '#contract/email-key.ts';
import type { Language } from '#contract/fields.ts';
import { getCustomer } from '#server/audience/customers/customers.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { getList } from '#server/audience/lists/lists.ts';
import { type ChoiceResult, saveChoice } from '#server/choices/choices/choices.ts';
import { canUndoAddressChange } from '#server/choices/choices/preconditions.ts';
import { findPageForLinks, type ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import {
  type DataLink,
  type EmailUndoLink,
  openDataLink,
  type Opened,
  openEmailUndo,
  openRestore,
  type RestoreLink,
} from '#server/visit/customer-mails/mailed-links.ts';
import { requestErasure } from '#server/visit/customers/erasure.ts';
import { personalDataOf } from '#server/visit/personal-data/personal-data.ts';
import { leaveRejoined } from '#server/visit/public-customers/confirm-changes.ts';
import { byLink } from '#server/visit/public-customers/one-click.ts';
import {
  type Restorable,
  restorableOf,
  restoreSubscriptions,
} from '#server/visit/public-customers/restore-subscriptions.ts';
import { shownBehindLink } from '#server/visit/public-customers/shown-behind-links.ts';
import { chooseLanguage, type ConfirmView, listText, maskEmail, type PageView } from '#web/page/view.ts';
import { messageView, pageView } from './page-views.ts';

/** A visit to a mailed link's page, to open it or to press its button. */
export interface MailedVisit {
  visit: Visit;
  token: string;
  browserLanguages: readonly string[];
}

interface PageRenderer {
  draw: Draw;
  language: Language;
  /** The preference page that sets the design. */
  served: ServedPage | null;
}

type Draw = (parts: Pick<PageView, 'step'> & Partial<PageView>) => PageView;

/** Draws in the design of the mail's preference page, or in a neutral one if the site has no page (any more). */
async function pageRendererOf(
  services: Services,
  { visit, browserLanguages }: MailedVisit,
  pageId: string | null,
): Promise<PageRenderer> {
  const served = await findPageForLinks(services, visit.siteId, pageId);
  if (served === null) {
    const blank = messageView('confirm', browserLanguages);
    return { draw: (parts) => ({ ...blank, ...parts }), language: blank.language, served };
  }
  const language = chooseLanguage(served.page.languages, browserLanguages);
  return { draw: (parts) => pageView(served, language, parts), language, served };
}

export const isNotFound = (error: unknown) => error instanceof AppError && error.code === 'not_found';

/** An erasure is not revealed: the link just appears expired. */
async function emailOf(services: Services, siteId: string, customerId: string): Promise<string | null> {
  try {
    return (await getCustomer(services, siteId, customerId)).email;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** @throws AppError `not_found` for a link not made here */
export async function requireLiveLink<T extends { pageId: string | null }>(
  services: Services,
  mailed: MailedVisit,
  link: Opened<T>,
): Promise<PageRenderer & { link: T | null }> {
  if (link === null) throw notFound('This link');
  const known = link === 'expired' ? null : link;
  return { link: known, ...(await pageRendererOf(services, mailed, known?.pageId ?? null)) };
}

type Refusal = ConfirmView['refusal'];

async function undoStateOf(
  services: Services,
  siteId: string,
  { customerId, oldEmail, sequence }: EmailUndoLink,
  email: string,
): Promise<{ done: boolean; refusal: Refusal }> {
  if (isSameAddress(email, oldEmail)) return { done: true, refusal: null };
  const isPossible = await services.database.readSite(siteId, (site) =>
    canUndoAddressChange(site, customerId, sequence),
  );
  return { done: false, refusal: isPossible ? null : 'changed' };
}

/** The page behind an address change notice. Read-only. */
export async function emailUndoView(services: Services, mailed: MailedVisit): Promise<PageView> {
  const opened = openEmailUndo(services, mailed.visit.siteId, mailed.token);
  const { link, draw } = await requireLiveLink(services, mailed, opened);
  if (link === null) return draw({ step: 'link-void' });
  const { siteId } = mailed.visit;
  const email = await emailOf(services, siteId, link.customerId);
  if (email === null) return draw({ step: 'link-void' });
  const state = await undoStateOf(services, siteId, link, email);
  return draw({ step: 'confirm', confirm: undoConfirm(mailed, link, state) });
}

function undoConfirm(
  { token }: MailedVisit,
  { oldEmail }: EmailUndoLink,
  state: { done: boolean; refusal: Refusal },
): ConfirmView {
  return {
    kind: 'email_undo',
    action: `/undo/${token}`,
    email: maskEmail(oldEmail),
    ...state,
  };
}

/** Restores the old address, on a click, if `canUndoAddressChange` allows it and the address is free. */
export async function emailUndoneView(services: Services, mailed: MailedVisit): Promise<PageView> {
  const { visit, token } = mailed;
  const opened = openEmailUndo(services, visit.siteId, token);
  const { link, draw, language, served } = await requireLiveLink(services, mailed, opened);
  if (link === null) return draw({ step: 'link-void' });
  const confirm = (state: { done: boolean; refusal: Refusal }) =>
    draw({ step: 'confirm', confirm: undoConfirm(mailed, link, state) });
  const visited = { ...visit, language };
  let result: ChoiceResult;
  try {
    const shown = await shownBehindLink(services, visited, 'email_undo', served);
    result = await saveChoice(
      services,
      visit.siteId,
      link.customerId,
      { email: link.oldEmail },
      { ...byLink(visited, 'undo', shown), takesBack: link.sequence },
      { addressChange: link.sequence },
      undefined,
      leaveRejoined(link.customerId, link.sequence),
    );
  } catch (error) {
    if (error instanceof AppError && error.code === 'error_exists') {
      return confirm({ done: false, refusal: 'taken' });
    }
    if (isNotFound(error)) return draw({ step: 'link-void' });
    throw error;
  }
  const isBack = isSameAddress(result.email, link.oldEmail);
  return confirm({ done: isBack, refusal: isBack ? null : 'changed' });
}

/** The page behind an unsubscribe notice. Read-only. */
export function restoreView(services: Services, mailed: MailedVisit): Promise<PageView> {
  const { siteId } = mailed.visit;
  return viewOfRestore(services, mailed, (link) => restorableOf(services, siteId, link));
}

/** Restores the subscriptions, on a click. */
export function restoredView(services: Services, mailed: MailedVisit): Promise<PageView> {
  const { visit } = mailed;
  return viewOfRestore(services, mailed, async (link, { language, served }) => {
    const visited = { ...visit, language };
    const shown = await shownBehindLink(services, visited, 'restore', served);
    return restoreSubscriptions(services, visit.siteId, link, byLink(visited, 'undo', shown));
  });
}

async function viewOfRestore(
  services: Services,
  mailed: MailedVisit,
  look: (link: RestoreLink, renderer: PageRenderer) => Promise<Restorable>,
): Promise<PageView> {
  const { siteId } = mailed.visit;
  const opened = openRestore(services, siteId, mailed.token);
  const { link, ...renderer } = await requireLiveLink(services, mailed, opened);
  const { draw, language } = renderer;
  if (link === null) return draw({ step: 'link-void' });
  try {
    const { state, email, listId } = await look(link, renderer);
    const list = listId === null ? null : await getList(services, siteId, listId);
    const confirm: ConfirmView = {
      kind: 'restore',
      action: `/restore/${mailed.token}`,
      email: maskEmail(email),
      lists: list === null ? [] : [listText(list, language).name],
      done: state === 'done',
      refusal: state === 'changed' ? 'changed' : null,
    };
    return draw({ step: 'confirm', confirm });
  } catch (error) {
    if (isNotFound(error)) return draw({ step: 'link-void' });
    throw error;
  }
}

function dataConfirm({ token }: MailedVisit, { kind }: DataLink, email: string, done: boolean): ConfirmView {
  return {
    kind: `data_${kind}`,
    action: `/data/${token}`,
    email: maskEmail(email),
    done,
    refusal: null,
  };
}

/** The page behind the link of a data request. Read-only. */
export async function dataView(services: Services, mailed: MailedVisit): Promise<PageView> {
  const opened = openDataLink(services, mailed.visit.siteId, mailed.token);
  const { link, draw } = await requireLiveLink(services, mailed, opened);
  const email = link === null ? null : await emailOf(services, mailed.visit.siteId, link.customerId);
  if (link === null || email === null) return draw({ step: 'link-void' });
  return draw({ step: 'confirm', confirm: dataConfirm(mailed, link, email, false) });
}

/** Handles the button: returns the data, or a page. */
export async function handleDataRequest(
  services: Services,
  mailed: MailedVisit,
): Promise<{ data: object } | { view: PageView }> {
  const { visit, token } = mailed;
  const opened = openDataLink(services, visit.siteId, token);
  const { link, draw, language, served } = await requireLiveLink(services, mailed, opened);
  if (link === null) return { view: draw({ step: 'link-void' }) };
  try {
    if (link.kind === 'download') {
      return { data: await personalDataOf(services, visit.siteId, link.customerId) };
    }
    const { email } = await getCustomer(services, visit.siteId, link.customerId);
    const visited = { ...visit, language };
    const shown = await shownBehindLink(services, visited, 'data_erasure', served);
    await requestErasure(services, visit.siteId, link.customerId, byLink(visited, 'erasure', shown));
    return { view: draw({ step: 'confirm', confirm: dataConfirm(mailed, link, email, true) }) };
  } catch (error) {
    if (isNotFound(error)) return { view: draw({ step: 'link-void' }) };
    throw error;
  }
}
