import type { Evidence } from '#contract/choices.ts';
import type { CustomerSession } from '#server/accounts/access/customer-session-token.ts';
import { linkLifetimeOf } from '#server/accounts/sites/sites.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { maskEmail } from '#web/page/view.ts';
import { dayOf, readChallenge } from './challenge.ts';
import type { CustomerRow } from './customers.sql.ts';
import { requireCustomer } from './customers.ts';

/*
 * What a personal link proves. A `manage` link proves its customer until it ages or is ended; after that it may only
 * lower consent (level `leave`), shows a masked address, and can ask for a fresh link to the address on file.
 * `leave` links neither age nor end: what they do is always allowed.
 */

type Level = CustomerSession['level'];
type Generation = Pick<CustomerRow, 'link_generation'>;

/**
 * Who a personal link opens the page as, by its signature and age only; whether it was ended stands in the
 * customer's row (`levelNow`).
 * @returns null for anything that is no `manage` link of this site; who was erased keeps theirs
 */
export async function whoseLink(
  services: Services,
  siteId: string,
  challenge: string,
): Promise<Pick<CustomerSession, 'id' | 'level' | 'generation'> | null> {
  const link = readChallenge(services.keyring, challenge);
  if (link === null || link.siteId !== siteId || link.purpose !== 'manage') return null;
  const age = dayOf(services.clock.now()) - link.issuedOn;
  const isAged = age > (await linkLifetimeOf(services, siteId));
  return { id: link.customerId, level: isAged ? 'leave' : 'proven', generation: link.generation };
}

/** The level of a capability once the customer's row is known: links may have been ended since. */
export function levelNow(
  { level, generation }: Pick<CustomerSession, 'level' | 'generation'>,
  customer: Generation,
): Level {
  return level === 'proven' && generation !== customer.link_generation ? 'leave' : level;
}

/** The address as far as this level may see it. */
export function emailFor(level: Level, email: string | null): string {
  if (email === null) return '';
  return level === 'leave' ? maskEmail(email) : email;
}

/** What evidence says about how a choice at this level was proven. */
export function authorityOf(level: Level): Evidence['authority'] {
  return level === 'leave' ? 'link' : level;
}

export function linkExpired(): AppError {
  return new AppError(
    'link_expired',
    "This personal link has expired or was ended, so it can only unsubscribe. Ask for a new link. We'll send it to the email on file.",
  );
}

/** For what an aged or ended link may not do. @throws AppError `not_found`, `link_expired` */
export async function refuseExpired(
  services: Services,
  siteId: string,
  session: CustomerSession,
): Promise<void> {
  if (session.level === 'open') return;
  const customer = await services.database.readSite(siteId, (site) => requireCustomer(site, session.id));
  if (levelNow(session, customer) === 'leave') throw linkExpired();
}

/** The day on which a link made now stops proving its customer. */
export async function provesUntil(services: Services, siteId: string): Promise<Date> {
  const days = await linkLifetimeOf(services, siteId);
  // The whole of its last day counts.
  return new Date((dayOf(services.clock.now()) + days + 1) * DAY_MS);
}

const DAY_MS = 86_400_000;
