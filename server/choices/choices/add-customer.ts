import { randomBytes } from 'node:crypto';
import { emailKey } from '#contract/email-key.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import {
  type CustomerRow,
  erasedKeysOf,
  insertCustomer,
  wasErasedAsLeft,
} from '#server/audience/customers/customers.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { type Circumstances, recordCreation, rulesOf, UNSEEN } from './choices.ts';

/** A choice that an owner records on somebody's behalf. */
export const BY_OWNER: Circumstances = {
  source: 'owner',
  authority: 'owner',
  saveId: null,
  ...UNSEEN,
};

/**
 * Adds a customer who has chosen nothing yet; one who was erased after leaving everything starts as having left.
 * @returns null when the address is a customer's already
 */
export async function addCustomer(
  services: Services,
  siteId: string,
  email: string,
  circumstances: Circumstances,
): Promise<CustomerRow | null> {
  const rules = await rulesOf(services, siteId);
  return services.database.inSite(siteId, async (site) => {
    const customer = await insertCustomer(site, {
      id: newId(),
      email,
      email_key: emailKey(email),
      global_unsubscribe: await wasErasedAsLeft(site, erasedKeysOf(services, siteId, email)),
      person_salt: randomBytes(16),
      now: services.clock.now(),
    });
    if (customer === undefined) return null;
    if (circumstances.source === 'owner') {
      await recordChange(services, site, 'customer.created', { id: customer.id });
    }
    await recordCreation(services, site, rules, customer, circumstances);
    return customer;
  });
}
