import { useSyncExternalStore } from 'react';
import { API_PREFIX } from '#contract/route.ts';
import { endSignedOut } from '../session/session.ts';
import { queryClient } from './query-client.ts';

const PROBE_EVERY_MS = 3_000;

const listeners = new Set<() => void>();
let isOffline = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Notices when the network goes; calls report a missing answer themselves, by `reportUnreachable`. */
export function watchReachability(): void {
  window.addEventListener('offline', reportUnreachable);
  window.addEventListener('online', () => void probe());
  if (!navigator.onLine) reportUnreachable();
  void endSignedOut();
}

/** No answer came: probes the server until it is back, and then reloads what failed. */
export function reportUnreachable(): void {
  if (isOffline) return;
  setOffline(true);
  timer = setTimeout(() => void probe(), PROBE_EVERY_MS);
}

export function isReachable(): boolean {
  return navigator.onLine && !isOffline;
}

export function useIsOffline(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isOffline,
  );
}

async function probe(): Promise<void> {
  clearTimeout(timer);
  if (!isOffline) return;
  const isBack = await fetch(`${API_PREFIX}/core/v1/app-settings`, {
    credentials: 'omit',
    cache: 'no-store',
  }).then(
    (answer) => answer.ok,
    () => false,
  );
  if (!isBack) {
    timer = setTimeout(() => void probe(), PROBE_EVERY_MS);
    return;
  }
  setOffline(false);
  void endSignedOut();
  await queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  await queryClient.invalidateQueries({ refetchType: 'active' });
}

function setOffline(next: boolean): void {
  isOffline = next;
  for (const listener of listeners) listener();
}
