import { emailKey } from '#contract/email-key.ts';
import { customersByEmails } from '#server/audience/customers/customers.ts';
import { addressesBeforeMoves, decryptPerson } from '#server/audience/evidence/evidence.ts';
import { choicesMovedIn } from '#server/delivery/deliveries/deliveries.sql.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';

/**
 * The addresses that each customer had and that a tool may still mail: it was never asked to move them, it refused to, or it
 * hasn't answered yet. Addresses that are somebody's now are left out.
 * @returns by customer, the oldest first; customers without any are missing
 */
export async function formerEmailsOf(
  { keyring }: Pick<Services, 'keyring'>,
  site: SiteDb,
  integrationId: string,
  customerIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const left = await addressesBeforeMoves(site, customerIds);
  if (left.length === 0) return new Map();
  const moved = new Set(
    await choicesMovedIn(
      site,
      integrationId,
      left.map(({ id }) => id),
    ),
  );
  const held = left.flatMap((row) => {
    const email = moved.has(row.id) ? undefined : decryptPerson(keyring, row)?.email;
    return email === undefined ? [] : [{ customerId: row.customer_id, email, key: emailKey(email) }];
  });
  const owners = await customersByEmails(
    site,
    held.map(({ key }) => key),
  );
  const taken = new Set(owners.map(({ email_key: key }) => key));
  const free = held.filter(({ key }) => !taken.has(key));
  return new Map(
    [...Map.groupBy(free, ({ customerId }) => customerId)].map(([customerId, own]) => [
      customerId,
      [...new Map(own.map(({ key, email }) => [key, email])).values()],
    ]),
  );
}
