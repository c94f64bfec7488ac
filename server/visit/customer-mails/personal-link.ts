import { anonymiseIp } from '#server/audience/evidence/evidence.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import type { ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import type { Services } from '#server/platform/services.ts';
import { queueCustomerMail } from './customer-mails.ts';
import { mayMail } from './mail-limits.ts';

/**
 * Somebody typed an address on a page that asks for proof. The same is done whoever it belongs to: the worker finds
 * out, so that neither the answer nor its time tells.
 * @throws AppError `rate_limited`
 */
export async function queuePersonalLink(
  services: Services,
  visit: Visit,
  served: ServedPage,
  email: string,
): Promise<void> {
  const { siteId, host, ip, userAgent, language } = visit;
  if (!(await mayMail(services, 'link', { siteId, ip, email }))) return;
  const askedBy = { host, ip: anonymiseIp(ip), userAgent };
  await services.database.inSite(siteId, (site) =>
    queueCustomerMail(services, site, {
      kind: 'personal_link',
      pageId: served.id,
      language: language ?? served.page.languages.default,
      email,
      askedBy,
    }),
  );
}
