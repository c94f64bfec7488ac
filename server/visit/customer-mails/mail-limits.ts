import { emailKey } from '#contract/email-key.ts';
import type { PendingKind } from '#contract/pending-changes.ts';
import { networkOf } from '#server/platform/client-network.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/limits.ts';
import type { Services } from '#server/platform/services.ts';

/** Nobody's mailbox is filled by others: so many mails of a kind to one address. */
const MAILS_TO_ADDRESS = { points: 3, perSeconds: 3600 };
// An office shares one address.
const MAILS_FROM_IP: Limit = { name: 'mails-ip', points: 60, perSeconds: 3600 };
/** Of the notices that nobody asked for: the first of a day always goes out. */
const RETURN_NOTICES: Limit = { name: 'mails-resubscribed', points: 5, perSeconds: 86_400 };
const MAILS_OF_SITE: Limit = { name: 'mails-site', points: 3000, perSeconds: 3600 };

/**
 * Counts a mail that somebody asked for. Who asks too often is told; that an address has had enough is not, because
 * the answer must be the same for every address.
 * @returns whether the address may get one more
 * @throws AppError `rate_limited` for the IP or the site
 */
export async function mayMail(
  { limits }: Services,
  kind: 'link' | 'download' | 'erasure' | PendingKind,
  to: { siteId: string; ip: string; email: string },
): Promise<boolean> {
  await limits.use(MAILS_FROM_IP, `${to.siteId}:${networkOf(to.ip)}`);
  await limits.use(MAILS_OF_SITE, to.siteId);
  try {
    await limits.use({ name: `mails-${kind}`, ...MAILS_TO_ADDRESS }, `${to.siteId}:${emailKey(to.email)}`);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return false;
    throw error;
  }
}

/**
 * Sends a notice of a return, unless this customer has had enough of them today. One that could not be sent is not
 * counted: the queue tries it again.
 */
export async function withinReturnNotices(
  { limits }: Services,
  customer: { siteId: string; customerId: string },
  send: () => Promise<void>,
): Promise<void> {
  const key = `${customer.siteId}:${customer.customerId}`;
  try {
    await limits.use(RETURN_NOTICES, key);
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return;
    throw error;
  }
  try {
    await send();
  } catch (error) {
    await limits.giveBack(RETURN_NOTICES, key);
    throw error;
  }
}
