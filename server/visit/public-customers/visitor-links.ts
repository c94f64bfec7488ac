import type { PublicCustomer } from '#contract/public-preferences.ts';
import type { CustomerSession } from '#server/accounts/access/customer-session-token.ts';
import { getCustomer } from '#server/audience/customers/customers.ts';
import { refuseExpired } from '#server/audience/customers/link-levels.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { requireOpenedPage } from '#server/pages/preference-pages/public-pages.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import { queueCustomerMail } from '#server/visit/customer-mails/customer-mails.ts';
import { consumeMailLimit } from '#server/visit/customer-mails/mail-limits.ts';
import { endLinks } from '#server/visit/customers/end-links.ts';
import { maskEmail } from '#web/page/view.ts';
import { presentPublic } from './public-customers.ts';

const ENDINGS_OF_CUSTOMER: Limit = { name: 'links-ended', points: 10, perSeconds: 3600 };

/**
 * Revokes all links of a customer who came by a valid one; the session is downgraded to that of an ended link.
 * @throws AppError `not_found`, `proof_needed`, `link_expired`, `rate_limited`
 */
export async function endOwnLinks(
  services: Services,
  visit: Visit,
  session: CustomerSession,
): Promise<PublicCustomer> {
  await requireOpenedPage(services, visit, session);
  if (session.level === 'open') {
    throw new AppError('proof_needed', 'You need a personal link to end all links. Open one of them.');
  }
  await refuseExpired(services, visit.siteId, session);
  await services.limits.use(ENDINGS_OF_CUSTOMER, `${visit.siteId}:${session.id}`);
  const customer = await endLinks(services, visit.siteId, session.id);
  return presentPublic(services, visit.siteId, { ...session, level: 'leave' }, customer);
}

/**
 * Mails the customer a new link, to the address on file. The response does not say whether one was sent: an address
 * gets only a few per hour.
 * @throws AppError `not_found`, `rate_limited`
 */
export async function mailFreshLink(
  services: Services,
  visit: Visit,
  session: CustomerSession,
): Promise<{ masked_email: string }> {
  const { siteId, ip, language } = visit;
  await requireOpenedPage(services, visit, session);
  const { email } = await getCustomer(services, siteId, session.id);
  if (await consumeMailLimit(services, 'link', { siteId, ip, email })) {
    const { id: customerId, pageId } = session;
    await services.database.inSite(siteId, (site) =>
      queueCustomerMail(services, site, { kind: 'fresh_link', customerId, pageId, language }),
    );
  }
  return { masked_email: maskEmail(email) };
}
