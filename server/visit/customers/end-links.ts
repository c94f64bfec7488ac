import type { Customer } from '#contract/customers.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { testRulesOf } from '#server/accounts/sites/test-rules.ts';
import {
  beginLinkGeneration,
  type CustomerRow,
  presentCustomer,
} from '#server/audience/customers/customers.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { startRoundsNow } from '#server/sync/tool-links/tool-links.ts';

/** Revokes all personal links of a customer; tools that store one get a new one. @throws AppError `not_found` */
export async function endLinks(services: Services, siteId: string, customerId: string): Promise<CustomerRow> {
  return services.database.inSite(siteId, async (site) => {
    const now = services.clock.now();
    const customer = await beginLinkGeneration(site, customerId, now);
    if (customer === undefined) throw notFound('This customer');
    await startRoundsNow(site, now);
    await recordChange(services, site, 'customer.links_ended', { id: customerId });
    return customer;
  });
}

/** @throws AppError `not_found` */
export async function endLinksByOwner(services: Services, siteId: string, id: string): Promise<Customer> {
  const rules = await testRulesOf(services, siteId);
  return presentCustomer(await endLinks(services, siteId, id), rules);
}
