import type { CustomerRow } from '#server/audience/customers/customers.ts';
import { choicesOfCustomer, decryptPerson } from '#server/audience/evidence/evidence.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';

const CHOICES_AT_ONCE = 500;

/** Every address that a customer has had, as typed, according to their evidence. */
export async function addressesOf(
  { keyring }: Pick<Services, 'keyring'>,
  site: SiteDb,
  customers: readonly CustomerRow[],
): Promise<string[]> {
  const addresses = new Set(customers.flatMap(({ email }) => (email === null ? [] : [email])));
  for (const { id } of customers) {
    let before: string | null = null;
    for (;;) {
      const rows = await choicesOfCustomer(site, id, { before, limit: CHOICES_AT_ONCE });
      for (const row of rows) addresses.add(decryptPerson(keyring, row)?.email ?? '');
      if (rows.length <= CHOICES_AT_ONCE) break;
      before = rows.at(CHOICES_AT_ONCE - 1)?.id ?? null;
    }
  }
  addresses.delete('');
  return [...addresses];
}
