import { emailKey } from '#contract/email-key.ts';
import { findSiteOfHost } from '#server/accounts/sites/hosts.ts';
import { type Challenge, readChallenge } from '#server/audience/customers/challenge.ts';
import { findCustomer } from '#server/audience/customers/customers.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { hostName } from '#server/platform/http/headers.ts';
import type { Services } from '#server/platform/services.ts';
import { addressOfLink } from '#web/page/email.ts';
import { type Found, oneClickUri } from './header-findings.ts';
import { mergeFieldIn } from './merge-field.ts';
import type { ReadEmail, ReadLink } from './read-email.ts';

/** An email has a few links to its page; each different one costs a query. */
const MAX_OWN_LINKS = 20;
/** Genuine emails link to a handful of hosts; each costs a query. */
const MAX_HOSTS = 30;

/** What a link to the site would do, and for whom. */
interface Judged {
  verdict: 'works' | 'invalid' | 'other_site' | 'other_person' | 'gone';
  values: Record<string, string>;
}

/** Makes the request of a mail program without its effect; gives the status of the answer, or null if the URL isn't for it. */
export type PostOneClick = (url: URL) => Promise<number | null>;

function leaveChallenge({ pathname }: URL): string | null {
  return /^\/u\/([^/]+)$/.exec(pathname)?.[1] ?? null;
}

/** The links of an email, and what those to the site's own hosts would do. Reads only. */
export class EmailLinks {
  readonly email: ReadEmail;
  readonly #services: Services;
  readonly #siteId: string;
  readonly #hosts = new Map<string, Promise<string | null>>();

  constructor(services: Services, siteId: string, email: ReadEmail) {
    this.#services = services;
    this.#siteId = siteId;
    this.email = email;
  }

  /** Whether the site's pages are served there: `own`, `other` for another site's, null for neither. */
  async whose(url: URL): Promise<'own' | 'other' | null> {
    const host = hostName(url.host);
    if (!this.#hosts.has(host) && this.#hosts.size >= MAX_HOSTS) return null;
    const lookUp = this.#hosts.get(host) ?? findSiteOfHost(this.#services, host);
    this.#hosts.set(host, lookUp);
    const siteId = await lookUp;
    if (siteId === null) return null;
    return siteId === this.#siteId ? 'own' : 'other';
  }

  /** Whether the URL has a challenge of this site, wherever it leads. Not known of hosts that weren't looked up. */
  isMadeHere(url: URL): boolean {
    if (!this.#hosts.has(hostName(url.host))) return false;
    const text = leaveChallenge(url) ?? url.searchParams.get('challenge') ?? '';
    return readChallenge(this.#services.keyring, text)?.siteId === this.#siteId;
  }

  /** Whom a URL of the List-Unsubscribe header would unsubscribe. */
  async judgeOneClick(url: URL): Promise<Judged | { verdict: 'no_one_click'; values: Judged['values'] }> {
    const text = leaveChallenge(url);
    return text === null ? { verdict: 'no_one_click', values: {} } : this.#judgeChallenge(text);
  }

  /** What a link in the body opens. One that names nobody asks who opens it. */
  async judgePage(url: URL): Promise<Judged> {
    const challenge = leaveChallenge(url) ?? url.searchParams.get('challenge') ?? '';
    if (challenge !== '') return this.#judgeChallenge(challenge);
    const address = addressOfLink(url.searchParams.get('email') ?? '');
    return address === null ? { verdict: 'works', values: {} } : this.#judgePerson(address);
  }

  async #judgeChallenge(text: string): Promise<Judged> {
    const challenge = readChallenge(this.#services.keyring, text);
    if (challenge === null) return { verdict: 'invalid', values: {} };
    if (challenge.siteId !== this.#siteId) return { verdict: 'other_site', values: {} };
    const email = await this.#customerOf(challenge);
    return email === null ? { verdict: 'gone', values: {} } : this.#judgePerson(email);
  }

  /** null if the customer, or the list of the link, is no longer there. */
  async #customerOf({ customerId, listId }: Challenge): Promise<string | null> {
    return this.#services.database.readSite(this.#siteId, async (site) => {
      const customer = await findCustomer(site, customerId);
      const lists = listId === null ? null : await allLists(site);
      return lists === null || lists.some(({ id }) => id === listId) ? (customer?.email ?? null) : null;
    });
  }

  #judgePerson(email: string): Judged {
    const receivers = this.email.to;
    const isMeant = receivers.length === 0 || receivers.some((one) => emailKey(one) === emailKey(email));
    return isMeant
      ? { verdict: 'works', values: { email } }
      : { verdict: 'other_person', values: { email, to: receivers[0] ?? '' } };
  }
}

/** Why the site refuses a URL, said more precisely than by a status. */
const REASONED = new Set(['no_one_click', 'invalid', 'other_site', 'gone']);
const ANSWERED = 200;

/**
 * Whether the URL in List-Unsubscribe unsubscribes the receiver: of this site, whether the rehearsed POST is answered as
 * RFC 8058 demands (200, no redirect), and for whom it is.
 */
export async function oneClickLink(own: EmailLinks, post: PostOneClick): Promise<Found | null> {
  const uri = oneClickUri(own.email);
  if (uri === null || mergeFieldIn(uri) !== null || !URL.canParse(uri)) return null;
  const url = new URL(uri);
  const whose = await own.whose(url);
  const host = { host: url.hostname };
  if (whose === null)
    return { code: own.isMadeHere(url) ? 'link_not_served' : 'link_elsewhere', values: host };
  // Another site's link isn't even rehearsed: what it would do is no business of this site.
  if (whose === 'other') return { code: 'link_other_site', values: host };
  const status = await post(url);
  const { verdict, values } = await own.judgeOneClick(url);
  if (status === ANSWERED || REASONED.has(verdict)) return { code: `link_${verdict}`, values };
  return { code: 'link_refused', values: { status: String(status) } };
}

interface BodyLink extends ReadLink {
  /** null: not of the web. */
  url: URL | null;
  whose: 'own' | 'other' | null;
}

function urlOf(href: string): URL | null {
  return /^https?:/i.test(href) && URL.canParse(href) ? new URL(href) : null;
}

/** Whether people see a link to unsubscribe, and whether links to the site's own pages are right. */
export async function bodyLinks(own: EmailLinks): Promise<Found[]> {
  const header = oneClickUri(own.email);
  const links: BodyLink[] = [];
  for (const link of own.email.links) {
    const url = urlOf(link.href);
    links.push({ ...link, url, whose: url === null ? null : await own.whose(url) });
  }
  const leading = links.filter(({ href, leadsOut, whose }) => whose !== null || href === header || leadsOut);
  const faults = await faultsOfOwn(own, links);
  return [...faults, ...visibility(leading, faults.length > 0)];
}

/** What people see of the links that lead to unsubscribing. */
function visibility(links: readonly BodyLink[], hasFaults: boolean): Found[] {
  const seen = links.filter(({ hiddenBy }) => hiddenBy === null);
  const best = seen.find(({ isImageOnly }) => !isImageOnly) ?? seen[0];
  if (best !== undefined) {
    if (best.isImageOnly) return [{ code: 'body_image_only' }];
    return hasFaults ? [] : [{ code: 'body_ok' }];
  }
  const hidden = links[0];
  if (hidden === undefined) return [{ code: 'body_missing' }];
  return [{ code: 'body_hidden', values: { reason: hidden.hiddenBy ?? 'empty' } }];
}

/** What is wrong with links to the site's own pages; the first of each kind. */
async function faultsOfOwn(own: EmailLinks, links: readonly BodyLink[]): Promise<Found[]> {
  const faults = new Map<Found['code'], Found>();
  const seen = new Set<string>();
  for (const { url, whose, href, mergeField } of links) {
    const isOurs = url !== null && (whose !== null || own.isMadeHere(url));
    if (!isOurs || seen.has(href) || mergeField !== null) continue;
    if (seen.size >= MAX_OWN_LINKS) break;
    seen.add(href);
    for (const found of await faultsOfLink(own, url, whose)) {
      if (!faults.has(found.code)) faults.set(found.code, found);
    }
  }
  return [...faults.values()];
}

async function faultsOfLink(own: EmailLinks, url: URL, whose: BodyLink['whose']): Promise<Found[]> {
  if (whose === null) return [{ code: 'body_not_served', values: { host: url.hostname } }];
  if (whose === 'other') return [{ code: 'body_other_site', values: { host: url.hostname } }];
  const faults: Found[] = [];
  const { verdict, values } = await own.judgePage(url);
  if (verdict !== 'works') faults.push({ code: `body_${verdict}`, values });
  const state = url.searchParams.get('state');
  if (state === 'subscribe' || state === 'unsubscribe') faults.push({ code: 'body_state' });
  return faults;
}

const LINK_PARAMETERS = ['challenge', 'email'] as const;

/** Merge fields that the tool left as they are, or filled with nothing. */
export async function mergeFields(own: EmailLinks): Promise<Found> {
  const { mergeField: field, links } = own.email;
  if (field !== null) return { code: 'merge_left', values: { field } };
  for (const { href } of links) {
    const url = urlOf(href);
    const empty = url && LINK_PARAMETERS.find((name) => url.searchParams.get(name) === '');
    if (url && empty && (await own.whose(url)) === 'own') {
      return { code: 'merge_empty', values: { field: empty } };
    }
  }
  return { code: 'merge_ok' };
}
