import type { Customer } from '#contract/customers.ts';
import type { PublicCustomer } from '#contract/public-preferences.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { queueCustomerMail } from '#server/visit/customer-mails/customer-mails.ts';
import { mayMail } from '#server/visit/customer-mails/mail-limits.ts';
import { beginRoundsNow } from '#server/sync/tool-links/tool-links.sql.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/limits.ts';
import type { Services } from '#server/platform/services.ts';
import { maskEmail } from '#web/page/view.ts';
import type { Capability } from '#server/accounts/access/capability.ts';
import { getCustomer, presentCustomer } from './customers.ts';
import { beginLinkGeneration, type CustomerRow } from '#server/audience/customers/customers.sql.ts';
import { refuseAged } from '#server/audience/customers/link-levels.ts';
import {
  presentPublic,
  requireOpenedPage,
  type Visit,
} from '#server/visit/public-customers/public-customers.ts';

const ENDINGS_OF_CUSTOMER: Limit = { name: 'links-ended', points: 10, perSeconds: 3600 };

/** Ends every link that proves the customer so far; tools that keep one get another. @throws AppError `not_found` */
async function endLinks(services: Services, siteId: string, customerId: string): Promise<CustomerRow> {
  return services.database.inSite(siteId, async (site) => {
    const now = services.clock.now();
    const customer = await beginLinkGeneration(site, customerId, now);
    if (customer === undefined) throw notFound('This customer');
    await beginRoundsNow(site, now);
    await recordChange(services, site, 'customer.links_ended', { id: customerId });
    return customer;
  });
}

/** @throws AppError `not_found` */
export async function endLinksByOwner(services: Services, siteId: string, id: string): Promise<Customer> {
  return presentCustomer(await endLinks(services, siteId, id));
}

/**
 * Ends the links of a customer who is proven by one of them; from here on they are only known by an ended one.
 * @throws AppError `not_found`, `proof_needed`, `link_expired`, `rate_limited`
 */
export async function endOwnLinks(
  services: Services,
  visit: Visit,
  capability: Capability,
): Promise<PublicCustomer> {
  const served = await requireOpenedPage(services, visit, capability);
  if (capability.level === 'open') {
    throw new AppError(
      'proof_needed',
      'Only a personal link ends the links of its customer; open one of them.',
    );
  }
  await refuseAged(services, visit.siteId, capability);
  await services.limits.use(ENDINGS_OF_CUSTOMER, `${visit.siteId}:${capability.id}`);
  const customer = await endLinks(services, visit.siteId, capability.id);
  return presentPublic(services, visit, served, 'leave', customer);
}

/**
 * Mails the customer a fresh link, to the address on file. Whether one goes out is not told: an address gets a few an
 * hour.
 * @throws AppError `not_found`, `rate_limited`
 */
export async function mailFreshLink(
  services: Services,
  visit: Visit,
  capability: Capability,
): Promise<{ masked_email: string }> {
  const { siteId, ip, language } = visit;
  await requireOpenedPage(services, visit, capability);
  const { email } = await getCustomer(services, siteId, capability.id);
  if (await mayMail(services, 'link', { siteId, ip, email })) {
    const { id: customerId, pageId } = capability;
    await services.database.inSite(siteId, (site) =>
      queueCustomerMail(services, site, { kind: 'fresh_link', customerId, pageId, language }),
    );
  }
  return { masked_email: maskEmail(email) };
}
