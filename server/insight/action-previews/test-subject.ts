import { findCustomer } from '#server/audience/customers/customers.ts';
import { choicesOfCustomer, type ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { ActionRow } from '#server/delivery/actions/actions.ts';
import { matchActions } from '#server/delivery/actions/matching.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';

/** How many choices of a customer are looked through; older ones say little about them. */
const MAX_CHOICES = 100;

/**
 * What a test of an action in a tool is about: the newest choice of the customer that the action is for, except for
 * choices marked as tests, which are never sent. With it a test goes the way of a delivery, so it can only do what the
 * customer has chosen.
 * @returns null if there is none
 * @throws AppError `not_found`
 */
export async function testSubject(
  { database }: Services,
  siteId: string,
  action: ActionRow,
  customerId: string,
): Promise<ReasonedChoiceRow | null> {
  return database.readSite(siteId, async (site) => {
    if ((await findCustomer(site, customerId)) === undefined) throw notFound('This customer');
    const choices = await choicesOfCustomer(site, customerId, { before: null, limit: MAX_CHOICES });
    const choice = choices.find(
      (one) =>
        one.customer_id === customerId && one.is_test === null && matchActions([action], one).length > 0,
    );
    return choice ?? null;
  });
}
