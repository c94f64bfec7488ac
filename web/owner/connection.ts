import { useSyncExternalStore } from 'react';
import { API_PREFIX } from '#contract/route.ts';
import { queryClient } from './query.ts';

/** How often the server is asked whether it is back. */
const ASK_AGAIN_MS = 3_000;

const listeners = new Set<() => void>();
let isAway = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Notices when the network goes; a call that got no answer is noticed by `noteNoAnswer`. */
export function watchConnection(): void {
  window.addEventListener('offline', noteNoAnswer);
  window.addEventListener('online', () => void ask());
  if (!navigator.onLine) noteNoAnswer();
}

/** No answer came: from now on the server is asked until it is there again, and then what failed is loaded anew. */
export function noteNoAnswer(): void {
  if (isAway) return;
  set(true);
  timer = setTimeout(() => void ask(), ASK_AGAIN_MS);
}

export function isReachable(): boolean {
  return navigator.onLine && !isAway;
}

export function useIsAway(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isAway,
  );
}

async function ask(): Promise<void> {
  clearTimeout(timer);
  if (!isAway) return;
  const isBack = await fetch(`${API_PREFIX}/core/v1/app-settings`, {
    credentials: 'omit',
    cache: 'no-store',
  }).then(
    (answer) => answer.ok,
    () => false,
  );
  if (!isBack) {
    timer = setTimeout(() => void ask(), ASK_AGAIN_MS);
    return;
  }
  set(false);
  await queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  await queryClient.invalidateQueries({ refetchType: 'active' });
}

function set(away: boolean): void {
  isAway = away;
  for (const listener of listeners) listener();
}
