import { randomBytes } from 'node:crypto';
import { emailKey } from '#contract/email-key.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { currentActor, isKeyActing } from '#server/accounts/audit-log/current-actor.ts';
import {
  type CustomerRow,
  addressHashesOf,
  insertCustomer,
  erasedAsLeftAt,
} from '#server/audience/customers/customers.ts';
import { lockKeptOptOuts } from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { type ChoiceContext, recordCreation, choiceRulesOf, NO_VISIT } from './choices.ts';

/** Context of a choice that the caller, a team member or an API key, records for a customer. */
export function byCaller(): ChoiceContext {
  const how = isKeyActing()
    ? ({ source: 'api', authority: 'api_key' } as const)
    : ({ source: 'owner', authority: 'owner' } as const);
  // Says who made it, so that many of them can be undone.
  return { ...how, saveId: `edit:${currentActor() ?? 'nobody:'}:${newId()}`, ...NO_VISIT };
}

/**
 * Adds a customer who has not chosen anything yet; one who was erased after leaving everything starts as having left. What
 * tools have reported about the address until now is applied at once.
 * @returns null if a customer already has the address
 */
export async function addCustomer(
  services: Services,
  siteId: string,
  email: string,
  context: ChoiceContext,
): Promise<CustomerRow | null> {
  const rules = await choiceRulesOf(services, siteId);
  return services.database.inSite(siteId, async (site) => {
    const [kept, erasedAt] = await Promise.all([
      lockKeptOptOuts(services, site, email),
      erasedAsLeftAt(site, addressHashesOf(services, siteId, email)),
    ]);
    const customer = await insertCustomer(site, {
      id: newId(),
      email,
      email_key: emailKey(email),
      global_unsubscribe: erasedAt !== null,
      person_salt: randomBytes(16),
      now: services.clock.now(),
    });
    if (customer === undefined) return null;
    if (context.source === 'owner' || context.source === 'api') {
      await recordChange(services, site, 'customer.created', { id: customer.id });
    }
    return recordCreation(services, site, rules, customer, context, kept);
  });
}
