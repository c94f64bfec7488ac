import { emailKey } from '#contract/email-key.ts';
import { urlOfSite } from '#server/accounts/sites/sites.ts';
import { accountOf } from '#server/accounts/users/find-account.ts';
import { type CustomerRow, findCustomerByEmail } from '#server/audience/customers/customers.ts';
import { anonymiseIp } from '#server/audience/evidence/evidence.ts';
import { addCustomer, byCaller } from '#server/choices/choices/add-customer.ts';
import { requirePageById } from '#server/pages/preference-pages/public-pages.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import { mintLinks } from '#server/visit/customers/mint-links.ts';
import { queueCustomerMail } from './customer-mails.ts';

/** Across all sites, because an account's address is unproven. */
const OWN_LINKS: Limit = { name: 'own-link', points: 5, perSeconds: 3600 };

/**
 * Mails a member the personal link to a page that a customer with their address would get.
 * @throws AppError `rate_limited`
 */
export async function sendOwnLink(
  services: Services,
  siteId: string,
  pageId: string,
  by: { userId: string; ip: string; userAgent: string | null },
): Promise<{ email: string }> {
  await requirePageById(services, siteId, pageId);
  const email = await emailOfMember(services, by.userId);
  await services.limits.use(OWN_LINKS, emailKey(email));
  await ownCustomer(services, siteId, email);
  const host = new URL(await urlOfSite(services, siteId)).hostname;
  const askedBy = { host, ip: anonymiseIp(by.ip), userAgent: by.userAgent };
  await services.database.inSite(siteId, (site) =>
    queueCustomerMail(services, site, {
      kind: 'personal_link',
      pageId,
      language: null,
      email,
      askedBy,
    }),
  );
  return { email };
}

/** The link itself, for a member's own browser: no more than they can create for any customer. */
export async function mintOwnLink(
  services: Services,
  siteId: string,
  pageId: string,
  userId: string,
): Promise<{ preference_url: string }> {
  const page = await requirePageById(services, siteId, pageId);
  const { id } = await ownCustomer(services, siteId, await emailOfMember(services, userId));
  const { preference_url } = await mintLinks(services, siteId, id, { custom_path: page.customPath });
  return { preference_url };
}

async function emailOfMember(services: Services, userId: string): Promise<string> {
  const user = await accountOf(services.database.global, userId);
  if (user === undefined) throw notFound('This account');
  return user.email;
}

/** The customer with this email, who is added if there is none. */
async function ownCustomer(services: Services, siteId: string, email: string): Promise<CustomerRow> {
  const find = () => services.database.readSite(siteId, (site) => findCustomerByEmail(site, emailKey(email)));
  const customer =
    (await find()) ?? (await addCustomer(services, siteId, email, byCaller())) ?? (await find());
  if (customer === undefined) throw notFound('This customer');
  return customer;
}
