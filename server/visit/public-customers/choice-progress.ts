import type { ProgressState } from '#contract/public-preferences.ts';
import type { CustomerSession } from '#server/accounts/access/customer-session-token.ts';
import { requireCustomer } from '#server/audience/customers/customers.ts';
import { levelNow } from '#server/audience/customers/link-levels.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { progressOfLatestChoice } from '#server/delivery/deliveries/choice-progress.ts';
import { requireOpenedPage } from '#server/pages/preference-pages/public-pages.ts';
import { networkOf } from '#server/platform/client-network.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';

// A page asks five times after each save.
const READINGS_OF_IP: Limit = { name: 'progress-ip', points: 600, perSeconds: 600 };

/**
 * Whether the latest choice has arrived everywhere; only for customers who came by a valid link, because it tells what
 * happens to a person.
 * @throws AppError `not_found`, `rate_limited`
 */
export async function choiceProgress(
  services: Services,
  visit: Visit,
  session: CustomerSession,
): Promise<{ state: ProgressState }> {
  const { siteId, ip } = visit;
  if (session.level !== 'proven') throw notFound('This customer');
  await services.limits.useHere(READINGS_OF_IP, `${siteId}:${networkOf(ip)}`);
  await requireOpenedPage(services, visit, session);
  return services.database.readSite(siteId, async (site) => {
    const customer = await requireCustomer(site, session.id);
    if (levelNow(session, customer) !== 'proven') throw notFound('This customer');
    return { state: await progressOfLatestChoice(site, customer.id) };
  });
}
