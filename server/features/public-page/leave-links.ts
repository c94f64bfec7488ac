import { NOTHING_SHOWN, saveChoice } from '#server/features/choices/choices.ts';
import { getCustomer, getCustomerLists } from '#server/features/customers/customers.ts';
import type { Challenge } from '#server/features/customers/challenge.ts';
import { leaveByLink } from '#server/features/customers/one-click.ts';
import type { Visit } from '#server/features/customers/public-customers.ts';
import { getList } from '#server/features/lists/lists.ts';
import {
  findFirstPagePath,
  requirePageByPath,
  type ServedPage,
} from '#server/features/preference-pages/public-pages.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { chooseLanguage, listText, maskEmail, type PageView, viewOf } from '#web/page/view.ts';
import { messageView, pageView } from './page-views.ts';
import { openUndo, sealUndo } from './undo-proof.ts';

type Landing = {
  link: Challenge;
  /** Of the address of the landing page. */
  text: string;
  browserLanguages: readonly string[];
};

async function firstPage(services: Services, siteId: string): Promise<ServedPage | null> {
  const path = await findFirstPagePath(services, siteId);
  return path === null ? null : requirePageByPath(services, siteId, path);
}

/** The landing in the look of the site's first page. Who holds the link learns no address and no other page. */
async function landingView(
  services: Services,
  siteId: string,
  { link, text, browserLanguages }: Landing,
  state: { done: boolean; undo: string | null; undone?: boolean },
): Promise<PageView> {
  const [customer, list, served] = await Promise.all([
    getCustomer(services, siteId, link.customerId),
    link.listId === null ? null : getList(services, siteId, link.listId),
    firstPage(services, siteId),
  ]);
  const blank =
    served === null
      ? { ...messageView('leave', browserLanguages), step: 'leave' as const }
      : pageView(served, chooseLanguage(served.page.languages, browserLanguages), { step: 'leave' });
  const canOpenPage = served !== null && !served.page.attrs.enhanced_security;
  return viewOf({
    ...blank,
    notice: state.undone === true ? { kind: 'undone' } : null,
    leave: {
      masked_email: maskEmail(customer.email),
      list_name: list === null ? null : listText(list, blank.language).name,
      action: `/u/${text}`,
      full_page_url: canOpenPage ? `/${served.customPath}` : null,
      done: state.done,
      undo: state.undo,
    },
  });
}

/** What opening the link shows; it changes nothing. */
export function leaveView(services: Services, siteId: string, landing: Landing): Promise<PageView> {
  return landingView(services, siteId, landing, { done: false, undo: null });
}

async function receivesIt(
  services: Services,
  siteId: string,
  { customerId, listId }: Challenge,
): Promise<boolean> {
  const customer = await getCustomer(services, siteId, customerId);
  if (customer.global_unsubscribe) return false;
  if (listId === null) return true;
  const [list, { results }] = await Promise.all([
    getList(services, siteId, listId),
    getCustomerLists(services, siteId, customerId),
  ]);
  const chosen = results.find((one) => one.notification_list_id === listId)?.subscribed;
  return chosen ?? list.subscription_default_state;
}

/** Leaves on a person's click, and says so. */
export async function leftView(services: Services, visit: Visit, landing: Landing): Promise<PageView> {
  const { link } = landing;
  const canUndo = await receivesIt(services, visit.siteId, link);
  if (!(await leaveByLink(services, visit, link, 'leave_link'))) throw notFound('This customer');
  const undo = canUndo ? sealUndo(services, visit.siteId, link) : null;
  return landingView(services, visit.siteId, landing, { done: true, undo });
}

/** Takes back a leave that was made within the last hour, by the page that said so. */
export async function undoneView(
  services: Services,
  visit: Visit,
  landing: Landing,
  sealed: string,
): Promise<PageView> {
  const proof = openUndo(services, visit.siteId, sealed);
  const isOfLink =
    proof !== null && proof.customerId === landing.link.customerId && proof.listId === landing.link.listId;
  if (!isOfLink) return leaveView(services, visit.siteId, landing);
  const { customerId, listId } = proof;
  const wish =
    listId === null ? { globalUnsubscribe: false } : { lists: [{ list_id: listId, subscribed: true }] };
  await saveChoice(services, visit.siteId, customerId, wish, {
    source: 'leave_link',
    authority: 'link',
    saveId: null,
    language: visit.language,
    ip: visit.ip,
    userAgent: visit.userAgent,
    shown: NOTHING_SHOWN,
  });
  return landingView(services, visit.siteId, landing, { done: false, undo: null, undone: true });
}
