import { emailKey } from '#contract/email-key.ts';
import { type CustomerRow, findCustomerByEmail } from '#server/audience/customers/customers.ts';
import { addressChangesAfter } from '#server/audience/evidence/evidence.ts';
import { hasChosenSince, wasPausedBefore } from '#server/audience/evidence/stale-events.ts';
import type { ChoosableList } from '#server/audience/evidence/transitions.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import type { ChoiceChange, LockedCustomer, Precondition } from './choices.ts';
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

/** What is left of a change whose lists may have been deleted since they were shown. */
export function splitGoneLists(
  change: ChoiceChange,
  lists: readonly ChoosableList[],
): { change: ChoiceChange; gone: string[] } {
  const named = namedLists(change);
  const gone = named.filter((id) => !lists.some((list) => list.id === id));
  if (gone.length === 0) return { change, gone };
  const isThere = ({ list_id: id }: { list_id: string }) => !gone.includes(id);
  if ('restore' in change) {
    return { change: { restore: { ...change.restore, lists: change.restore.lists.filter(isThere) } }, gone };
  }
  return 'lists' in change
    ? { change: { ...change, lists: (change.lists ?? []).filter(isThere) }, gone }
    : { change, gone };
}

function namedLists(change: ChoiceChange): string[] {
  if ('restore' in change) return change.restore.lists.map(({ list_id: id }) => id);
  return 'lists' in change ? (change.lists ?? []).map(({ list_id: id }) => id) : [];
}

/** @throws AppError `invalid_field` for a list that the site does not have */
export function refuseUnknownLists(change: ChoiceChange, lists: readonly ChoosableList[]): void {
  const wanted = 'lists' in change ? (change.lists ?? []) : [];
  const unknown = wanted.findIndex(({ list_id }) => !lists.some((list) => list.id === list_id));
  if (unknown < 0) return;
  throw new AppError('invalid_field', `${unknown}.notification_list_id: this site doesn't have this list.`, {
    field: `${unknown}.notification_list_id`,
  });
}

/**
 * The previous owner of the address has the last word: choices made on the page since then do not block the undo, nor
 * does undoing a later change. Changes by the business since then do, and so does undoing an earlier one.
 */
export async function canUndoAddressChange(
  site: SiteDb,
  customerId: string,
  sequence: number,
): Promise<boolean> {
  const since = await addressChangesAfter(site, customerId, sequence);
  return since.every(({ source, undoes_sequence: takesBack }) =>
    source === 'undo'
      ? takesBack !== null && takesBack >= sequence
      : source === 'page' || source === 'confirm_link',
  );
}

/** @returns the first precondition that fails for the locked customer; null if all hold */
export async function brokenPrecondition(
  site: SiteDb,
  { customer, before }: LockedCustomer,
  lists: readonly ChoosableList[],
  change: ChoiceChange,
  asked: Precondition,
): Promise<keyof Precondition | null> {
  const { sequence, pausedUntil, addressChange, notBackSince, notPausedBefore, linkGeneration, lowersOnly } =
    asked;
  if (linkGeneration !== undefined && linkGeneration !== customer.link_generation) return 'linkGeneration';
  if (lowersOnly && raisesConsent(before, change, lists)) return 'lowersOnly';
  if (notBackSince !== undefined && (await hasChosenSince(site, customer.id, notBackSince))) {
    return 'notBackSince';
  }
  if (notPausedBefore !== undefined && (await wasPausedBefore(site, customer, notPausedBefore))) {
    return 'notPausedBefore';
  }
  if (addressChange !== undefined && !(await canUndoAddressChange(site, customer.id, addressChange))) {
    return 'addressChange';
  }
  if (pausedUntil !== undefined && customer.paused_until?.getTime() !== pausedUntil.getTime()) {
    return 'pausedUntil';
  }
  return sequence !== undefined && customer.sequence !== sequence ? 'sequence' : null;
}
