import { anonymiseIp } from '#server/audience/evidence/evidence.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import type { ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import type { Services } from '#server/platform/services.ts';
import { queueCustomerMail } from './customer-mails.ts';
import { consumeMailLimit } from './mail-limits.ts';

/**
 * For an address typed on a page that asks for proof. It is queued for every address, known or not: the worker looks it
 * up, so that neither the response nor its timing reveals whether it is known.
 * @throws AppError `rate_limited`
 */
export async function queuePersonalLink(
  services: Services,
  visit: Visit,
  served: ServedPage,
  email: string,
): Promise<void> {
  const { siteId, host, ip, userAgent, language } = visit;
  if (!(await consumeMailLimit(services, 'link', { siteId, ip, email }))) return;
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
