import type { ComplaintLevel } from '#contract/complaints.ts';
import { emailKey } from '#contract/email-key.ts';
import type { PendingKind } from '#contract/pending-changes.ts';
import { networkOf } from '#server/platform/client-network.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';

/** Protects mailboxes from being flooded: the limit per address and kind of mail. */
const MAILS_TO_ADDRESS = { points: 3, perSeconds: 3600 };
/** Anyone who knows an address can have links sent to it, hour after hour. */
const LINKS_A_DAY: Limit = { name: 'mails-link-day', points: 5, perSeconds: 86_400 };
// A whole office may share one IP.
const MAILS_FROM_IP: Limit = { name: 'mails-ip', points: 60, perSeconds: 3600 };
/** Limits notices that nobody requested; the first ones of a day are sent at once, the others wait. */
const RESUBSCRIBE_NOTICES: Limit = { name: 'mails-resubscribed', points: 5, perSeconds: 86_400 };
/** Each is confirmed by a mail, and one more goes to the owners. */
const COMPLAINTS: Limit = {
  name: 'complaints',
  points: 5,
  perSeconds: 86_400,
  exceeded: 'This customer has already sent five complaints today.',
};
/** Of everyone who only typed the customer's address, so that they use up nothing of the customer's own. */
const COMPLAINTS_BY_ADDRESS: Limit = { ...COMPLAINTS, name: 'complaints-by-address' };
const MAILS_OF_SITE: Limit = { name: 'mails-site', points: 3000, perSeconds: 3600 };

/**
 * Counts a requested mail. Exceeding the limit of the IP or the site is an error; exceeding that of an address is not,
 * because the answer must be the same for every address.
 * @returns whether the address may get this mail
 * @throws AppError `rate_limited` for the IP or the site
 */
export async function consumeMailLimit(
  { limits }: Services,
  kind: 'link' | 'download' | 'erasure' | PendingKind,
  to: { siteId: string; ip: string; email: string },
): Promise<boolean> {
  await limits.use(MAILS_FROM_IP, `${to.siteId}:${networkOf(to.ip)}`);
  await limits.use(MAILS_OF_SITE, to.siteId);
  const address = `${to.siteId}:${emailKey(to.email)}`;
  try {
    await limits.use({ name: `mails-${kind}`, ...MAILS_TO_ADDRESS }, address);
    if (kind === 'link') await limits.use(LINKS_A_DAY, address);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return false;
    throw error;
  }
}

/**
 * Counts a complaint. Beyond the limit it is refused, not dropped: nobody should wait for an answer to it.
 * @throws AppError `rate_limited`
 */
export async function consumeComplaintLimit(
  { limits }: Services,
  {
    siteId,
    ip,
    customerId,
    level,
  }: { siteId: string; ip: string; customerId: string; level: ComplaintLevel },
): Promise<void> {
  await limits.use(MAILS_FROM_IP, `${siteId}:${networkOf(ip)}`);
  await limits.use(MAILS_OF_SITE, siteId);
  await limits.use(level === 'proven' ? COMPLAINTS : COMPLAINTS_BY_ADDRESS, `${siteId}:${customerId}`);
}

/**
 * Sends a resubscribe notice unless this customer has reached today's limit. One that could not be sent is not counted:
 * the queue retries it.
 * @returns whether it was sent
 */
export async function withNoticeLimit(
  { limits }: Services,
  customer: { siteId: string; customerId: string },
  send: () => Promise<void>,
): Promise<boolean> {
  const key = `${customer.siteId}:${customer.customerId}`;
  try {
    await limits.use(RESUBSCRIBE_NOTICES, key);
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return false;
    throw error;
  }
  try {
    await send();
    return true;
  } catch (error) {
    await limits.giveBack(RESUBSCRIBE_NOTICES, key);
    throw error;
  }
}
