import { STRICT_EMAIL } from './email.ts';
import type { Identity } from './service.ts';
import type { PageQuery } from './view.ts';

/** The browser's local storage, or what stands for it. */
export type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>;

const CHALLENGE = 'challenge';
const EMAIL = 'email';

/** Spec section 4: the address first, then what is stored; a challenge before an email; an email only if it looks valid. */
export function chooseIdentity(
  query: Pick<PageQuery, 'challenge' | 'email'>,
  storage: Storage | null,
): Identity | null {
  return (
    asIdentity(query.challenge, query.email) ??
    asIdentity(storage?.getItem(CHALLENGE) ?? null, storage?.getItem(EMAIL) ?? null)
  );
}

function asIdentity(challenge: string | null, email: string | null): Identity | null {
  if (challenge) return { challenge };
  const address = email?.trim() ?? '';
  return STRICT_EMAIL.test(address) ? { email: address } : null;
}

/** Keeps one identity for the next visit; the other kind goes, it may be someone else's. */
export function remember(identity: Identity, storage: Storage | null): void {
  if ('challenge' in identity) {
    storage?.setItem(CHALLENGE, identity.challenge);
    storage?.removeItem(EMAIL);
  } else {
    storage?.removeItem(CHALLENGE);
    if (STRICT_EMAIL.test(identity.email)) storage?.setItem(EMAIL, identity.email);
    else storage?.removeItem(EMAIL);
  }
}

export function forget(storage: Storage | null): void {
  storage?.removeItem(CHALLENGE);
  storage?.removeItem(EMAIL);
}
