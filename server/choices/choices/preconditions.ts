import { emailKey } from '#contract/email-key.ts';
import { type CustomerRow, findCustomerByEmail } from '#server/audience/customers/customers.ts';
import { addressChangesAfter } from '#server/audience/evidence/evidence.ts';
import { cameBackSince, wasPausedBefore } from '#server/audience/evidence/told-moments.ts';
import type { ChoosableList } from '#server/audience/evidence/transitions.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import type { ChoiceWish, LockedCustomer, Precondition } from './choices.ts';
import { raisesConsent } from './lowering.ts';

/** Spec section 5. */
export function emailExists(): AppError {
  return new AppError('error_exists', 'another customer in the list already exists with the new email', {
    field: 'email',
  });
}

export async function refuseTakenEmail(site: SiteDb, customer: CustomerRow, email: string): Promise<void> {
  const other = await findCustomerByEmail(site, emailKey(email));
  if (other !== undefined && other.id !== customer.id) throw emailExists();
}

/** @throws AppError `invalid_field` for a list that the site does not have */
export function refuseUnknownLists(wish: ChoiceWish, lists: readonly ChoosableList[]): void {
  const wanted = 'lists' in wish ? (wish.lists ?? []) : [];
  const unknown = wanted.findIndex(({ list_id }) => !lists.some((list) => list.id === list_id));
  if (unknown < 0) return;
  throw new AppError('invalid_field', `${unknown}.notification_list_id: this site has no such list.`, {
    field: `${unknown}.notification_list_id`,
  });
}

/**
 * Whoever had the address first has the last word: changes that were made on the page meanwhile do not stand in the
 * way, nor does the undo of a later one. What the business wrote since does, and so does the undo of an earlier one.
 */
export async function mayTakeBack(site: SiteDb, customerId: string, sequence: number): Promise<boolean> {
  const since = await addressChangesAfter(site, customerId, sequence);
  return since.every(({ source, takes_back: takesBack }) =>
    source === 'undo'
      ? takesBack !== null && takesBack >= sequence
      : source === 'page' || source === 'confirm_link',
  );
}

/** @returns the first precondition that does not hold for the locked customer; null where all hold */
export async function brokenPrecondition(
  site: SiteDb,
  { customer, before }: LockedCustomer,
  lists: readonly ChoosableList[],
  asked: Precondition,
): Promise<keyof Precondition | null> {
  const { sequence, pausedUntil, addressChange, notBackSince, notPausedBefore, linkGeneration, lowersOnly } =
    asked;
  if (linkGeneration !== undefined && linkGeneration !== customer.link_generation) return 'linkGeneration';
  if (lowersOnly !== undefined && raisesConsent(before, lowersOnly, lists)) return 'lowersOnly';
  if (notBackSince !== undefined && (await cameBackSince(site, customer.id, notBackSince))) {
    return 'notBackSince';
  }
  if (notPausedBefore !== undefined && (await wasPausedBefore(site, customer, notPausedBefore))) {
    return 'notPausedBefore';
  }
  if (addressChange !== undefined && !(await mayTakeBack(site, customer.id, addressChange))) {
    return 'addressChange';
  }
  if (pausedUntil !== undefined && customer.paused_until?.getTime() !== pausedUntil.getTime()) {
    return 'pausedUntil';
  }
  return sequence !== undefined && customer.sequence !== sequence ? 'sequence' : null;
}
