import type { Identity } from './service.ts';

/*
 * A challenge opens the page for anyone who copies it out of the address bar. Once read it moves into the history entry,
 * which nobody copies, and which a reload keeps.
 */

type Browsing = Pick<Window, 'history' | 'location'>;

const CHALLENGE = 'challenge';

function stateOf({ history }: Browsing): Record<string, unknown> {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null ? { ...state } : {};
}

/** The challenge that this entry of the history was opened with, before a reload. */
export function challengeOfHistory(browsing: Browsing): string | null {
  const challenge = stateOf(browsing)[CHALLENGE];
  return typeof challenge === 'string' && challenge !== '' ? challenge : null;
}

/** Keeps in the history entry who is shown: a challenge, or nothing where an address says it. */
export function storeInHistory(browsing: Browsing, who: Identity | null): void {
  const { [CHALLENGE]: _, ...state } = stateOf(browsing);
  const url = new URL(browsing.location.href);
  // Only then: what is left of the address would be spelled differently.
  if (url.searchParams.has(CHALLENGE)) url.searchParams.delete(CHALLENGE);
  const next = who !== null && 'challenge' in who ? { ...state, challenge: who.challenge } : state;
  browsing.history.replaceState(next, '', url);
}

/** Takes out of the address what is saved, so that a reload does not save it again. */
export function removeSavedParams(browsing: Browsing): void {
  const url = new URL(browsing.location.href);
  url.searchParams.delete('state');
  url.searchParams.delete('listId');
  browsing.history.replaceState(browsing.history.state, '', url);
}
