import { STRICT_EMAIL } from '#contract/email-address.ts';
import { isSameAddress } from '#contract/email-key.ts';
import { challengeIn } from '#contract/pasted-links.ts';
import type { Identity } from './service.ts';
import { maskEmail, type PageQuery, type ViewCustomer } from './view.ts';

/** The browser's local storage, or a substitute. */
export type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>;

const CHALLENGE = 'challenge';
const EMAIL = 'email';

/** Identity stored by the browser: in local storage, and in the history entry. */
export type StoredIdentity = { entryChallenge: string | null; storage: Storage };

/**
 * Spec section 4: a challenge before an email, whichever of them is stored; within each the address first. An email
 * counts only if it looks valid.
 */
export function chooseIdentity(
  query: Pick<PageQuery, 'challenge' | 'email'>,
  kept: StoredIdentity | null,
): Identity | null {
  const challenge = query.challenge || kept?.entryChallenge || kept?.storage.getItem(CHALLENGE);
  if (challenge) return { challenge: challengeIn(challenge) };
  return asEmail(query.email) ?? asEmail(kept?.storage.getItem(EMAIL) ?? null);
}

function asEmail(email: string | null): Identity | null {
  const address = email?.trim() ?? '';
  return STRICT_EMAIL.test(address) ? { email: address } : null;
}

/**
 * The address in a link whose challenge belongs to somebody else; null if both mean the same person.
 * @param who null in the server's HTML, where the challenge is that of the URL
 */
export function otherPerson(
  query: Pick<PageQuery, 'challenge' | 'email'>,
  who: Identity | null,
  customer: Pick<ViewCustomer, 'email'> | null,
): string | null {
  const isByChallenge = who === null ? query.challenge !== null : 'challenge' in who;
  if (!isByChallenge || query.email === null || !customer?.email) return null;
  // A weaker link shows a masked address: a matching one is taken for the same.
  const isSame = isSameAddress(query.email, customer.email) || maskEmail(query.email) === customer.email;
  return isSame ? null : query.email;
}

/** Stores one identity for the next visit, and deletes the other kind, which may be somebody else's. */
export function storeIdentity(identity: Identity, storage: Storage | null): void {
  if ('challenge' in identity) {
    storage?.setItem(CHALLENGE, identity.challenge);
    storage?.removeItem(EMAIL);
  } else {
    storage?.removeItem(CHALLENGE);
    if (STRICT_EMAIL.test(identity.email)) storage?.setItem(EMAIL, identity.email);
    else storage?.removeItem(EMAIL);
  }
}

export function clearIdentity(storage: Storage | null): void {
  storage?.removeItem(CHALLENGE);
  storage?.removeItem(EMAIL);
}
