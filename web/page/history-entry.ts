import { parameterName } from '#contract/pasted-links.ts';
import type { Identity } from './service.ts';

/*
 * A challenge opens the page for anyone who copies it from the address bar. Once read, it is moved into the state of
 * the history entry, which is not copied, and survives a reload.
 */

type Browsing = Pick<Window, 'history' | 'location'>;

const CHALLENGE = 'challenge';

function stateOf({ history }: Browsing): Record<string, unknown> {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null ? { ...state } : {};
}

/** The challenge that this history entry was opened with, before a reload. */
export function challengeOfHistory(browsing: Browsing): string | null {
  const challenge = stateOf(browsing)[CHALLENGE];
  return typeof challenge === 'string' && challenge !== '' ? challenge : null;
}

/** Stores the shown identity in the history entry: a challenge, or nothing if the URL has the address. */
export function storeInHistory(browsing: Browsing, who: Identity | null): void {
  const { [CHALLENGE]: _, ...state } = stateOf(browsing);
  const url = new URL(browsing.location.href);
  remove(url, [CHALLENGE]);
  const next = who !== null && 'challenge' in who ? { ...state, challenge: who.challenge } : state;
  browsing.history.replaceState(next, '', url);
}

/** Removes saved parameters from the URL, so that a reload does not save them again. */
export function removeSavedParams(browsing: Browsing): void {
  const url = new URL(browsing.location.href);
  remove(url, ['state', 'listId']);
  browsing.history.replaceState(browsing.history.state, '', url);
}

/** However `&amp;` before their names was decoded. Only if present, because deleting re-serializes the rest of the URL. */
function remove({ searchParams }: URL, names: readonly string[]): void {
  for (const name of [...searchParams.keys()]) {
    if (names.includes(parameterName(name))) searchParams.delete(name);
  }
}
