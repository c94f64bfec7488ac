import type { CustomerDetails } from '#contract/customers.ts';
import { emailKey } from '#contract/email-key.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { type MailReply, oneLine } from '#server/platform/mail.ts';
import type { Services } from '#server/platform/services.ts';
import { type CustomerRow, findCustomer, lockCustomerRow } from './customers.sql.ts';
import { findBounce, deleteBounceOf, replaceBounce } from './email-bounces.sql.ts';

export { deleteBounceOf } from './email-bounces.sql.ts';

const MAX_REPLY_LENGTH = 500;

/** Our last email to the customer's present address, where its mail server refused it. */
export async function bounceOf(
  site: SiteDb,
  customer: CustomerRow,
): Promise<CustomerDetails['email_bounce']> {
  const row = await findBounce(site, customer.id, customer.email_key ?? '');
  return row === undefined
    ? null
    : { at: row.bounced_at.toISOString(), status: row.status, reply: row.reply };
}

/**
 * Records that a mail server refused an email for good. Behind the customer's lock: nothing is kept of somebody who was
 * erased, or has another address, by now.
 */
export async function recordBounce(
  services: Services,
  siteId: string,
  { customerId, address, reply }: { customerId: string; address: string; reply: MailReply },
): Promise<void> {
  await services.database.inSite(siteId, async (site) => {
    await lockCustomerRow(site, customerId);
    const customer = await findCustomer(site, customerId);
    if (customer?.email_key !== emailKey(address)) return;
    await replaceBounce(site, {
      customer_id: customer.id,
      email_key: customer.email_key,
      status: reply.status,
      reply: oneLine(reply.text).slice(0, MAX_REPLY_LENGTH),
      bounced_at: services.clock.now(),
    });
  });
}

/** An email was accepted: the address works again. */
export async function clearBounce(services: Services, siteId: string, customerId: string): Promise<void> {
  await services.database.inSite(siteId, (site) => deleteBounceOf(site, customerId));
}
