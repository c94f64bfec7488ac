import type { Language } from '#contract/fields.ts';
import { LANGUAGES } from '#contract/fields.ts';
import { challengeIn, idIn, MAX_PASTED_CHALLENGE, parameterName, valueIn } from '#contract/pasted-links.ts';
import { type CustomerSession, sealSessionToken } from '#server/accounts/access/customer-session-token.ts';
import { findSiteOfHost } from '#server/accounts/sites/hosts.ts';
import { isTakenDown } from '#server/accounts/sites/sites.ts';
import { whoseLink } from '#server/audience/customers/link-levels.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { findPageForLinks, type ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import { notFound } from '#server/platform/errors.ts';
import { toAppError } from '#server/platform/http/problems.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { readLeaveLink } from '#server/visit/public-customers/one-click.ts';
import {
  findByEmail,
  isSomeWaiting,
  limitLookups,
  readCustomerOnPage,
} from '#server/visit/public-customers/public-customers.ts';
import { addressOfLink } from '#web/page/email.ts';
import {
  chooseLanguage,
  LINK_STATES,
  NEUTRAL_PAGE,
  NO_QUERY,
  type PageQuery,
  type PageStep,
  type PageView,
  type ViewCustomer,
  viewOf,
} from '#web/page/view.ts';

/** An address has at most 254 characters; more may stand around it. */
const MAX_EMAIL = 400;
const MAX_WORD = 120;

/**
 * A message outside any page, in the visitor's language.
 * @param brand the page whose name, logo and colours it has; without one it has none
 */
export function messageView(
  step: PageStep,
  browserLanguages: readonly string[],
  brand: ServedPage | null = null,
): PageView {
  const page = brand === null ? NEUTRAL_PAGE : { ...brand.page, lists: [] };
  const languages = { default: page.languages.default, active_languages: [...LANGUAGES] };
  return viewOf({
    step,
    page: { ...page, languages },
    language: chooseLanguage(languages, browserLanguages),
  });
}

/** null if it can't be read, so that a message is shown anyway. */
async function orNull<T>(services: Services, read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    const problem = toAppError(error);
    if (problem.status >= 500) services.log.error({ err: problem.cause ?? problem }, problem.message);
    return null;
  }
}

/** The page whose brand a site's messages have: its first one. null outside any site, and if it can't be read. */
export async function brandOfHost(services: Services, host: string): Promise<ServedPage | null> {
  return orNull(services, async () => {
    const siteId = await findSiteOfHost(services, host);
    return siteId === null ? null : findPageForLinks(services, siteId, null);
  });
}

/**
 * What all pages of a site answer that were taken down; null on any other host, and if that can't be read. A personal link
 * of the site still unsubscribes there.
 */
export async function takenDownView(
  services: Services,
  host: string,
  query: unknown,
  browserLanguages: readonly string[],
): Promise<PageView | null> {
  return orNull(services, async () => {
    const siteId = await findSiteOfHost(services, host);
    if (siteId === null || !(await isTakenDown(services, siteId))) return null;
    const { challenge } = readQuery(query);
    const isLink = challenge !== null && readLeaveLink(services, siteId, challenge) !== null;
    const view = messageView('taken-down', browserLanguages);
    return { ...view, query: { ...NO_QUERY, challenge: isLink ? challenge : null } };
  });
}

/** The initial view of a page. */
export function pageView(
  served: ServedPage,
  language: Language,
  parts: Pick<PageView, 'step'> & Partial<PageView>,
): PageView {
  return viewOf({ page: served.page, custom_path: served.customPath, language, save_id: newId(), ...parts });
}

function textOf(value: unknown, max: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= max ? value : null;
}

/** The query parameters of spec section 2, as they are passed on; an email address is ignored unless it looks valid. */
export function readQuery(query: unknown): PageQuery {
  const sent = Object.entries((query ?? {}) as Record<string, unknown>);
  const named = Object.fromEntries(sent.toReversed().map(([name, value]) => [parameterName(name), value]));
  const challenge = textOf(named['challenge'], MAX_PASTED_CHALLENGE);
  const address = textOf(named['email'], MAX_EMAIL);
  const state = textOf(named['state'], MAX_WORD);
  const listId = textOf(named['listId'], MAX_WORD);
  return {
    challenge: challenge && (challengeIn(challenge) || null),
    email: address && addressOfLink(address),
    state: state === null ? null : valueIn(state, LINK_STATES),
    listId: listId && idIn(listId),
  };
}

type WhoOpens = Pick<CustomerSession, 'id' | 'level' | 'generation'>;

/** The customer as the page shows them, with a fresh session token; null where there is nobody (any more). */
export async function findOnPage(
  services: Services,
  siteId: string,
  served: ServedPage,
  who: WhoOpens,
): Promise<ViewCustomer | null> {
  const found = await readCustomerOnPage(services, siteId, served, who);
  if (found === null) return null;
  const { sequence, ...customer } = found;
  const { id, generation } = who;
  const sight = { sequence, showsWaiting: isSomeWaiting(customer.pending) };
  const opened = { id, generation, level: customer.level, pageId: served.id, ...sight };
  return { ...customer, id: sealSessionToken(services, siteId, opened) };
}

/** The customer of a session token as the page shows them now. @throws AppError `not_found` */
export async function loadCustomer(
  services: Services,
  siteId: string,
  served: ServedPage,
  session: CustomerSession,
): Promise<ViewCustomer> {
  const customer = await findOnPage(services, siteId, served, session);
  if (customer === null) throw notFound('This customer');
  return customer;
}

async function whoOpens(
  services: Services,
  visit: Visit,
  served: ServedPage,
  query: PageQuery,
): Promise<WhoOpens | null> {
  if (query.challenge !== null) return whoseLink(services, visit.siteId, query.challenge);
  if (query.email === null || served.page.attrs.enhanced_security) return null;
  await limitLookups(services, visit, query.email, 'useHere');
  const known = await findByEmail(services, visit, served, query.email);
  return known && { id: known.id, level: 'open', generation: 0 };
}

/** The view of a newly opened page. Read-only: unknown customers are created by the form or the script. */
export async function openedView(
  services: Services,
  visit: Visit,
  served: ServedPage,
  language: Language,
  query: PageQuery,
): Promise<PageView> {
  const who = await whoOpens(services, visit, served, query);
  const customer = who && (await findOnPage(services, visit.siteId, served, who));
  if (customer !== null) {
    return pageView(served, language, { step: 'preferences', customer, query });
  }
  if (query.challenge !== null) return pageView(served, language, { step: 'not-found' });
  if (served.page.attrs.enhanced_security) {
    // An address proves nothing, and opening a page sends no mail: show the button that does.
    if (query.email !== null) return pageView(served, language, { step: 'form', query });
    // Only the browser knows whether it has a stored challenge; without one it goes to /404 (spec section 4).
    return pageView(served, language, {
      step: 'preferences',
      query: { ...NO_QUERY, state: query.state, listId: query.listId },
    });
  }
  if (query.email !== null && !served.allowCustomerCreate)
    return pageView(served, language, { step: 'not-found', query });
  return pageView(served, language, { step: 'form', query });
}
