import { isReachable } from './connection.ts';

const KEY = 'reloaded-for-release';
const AGAIN_AFTER_MS = 60_000;

let isUnasked = false;

/**
 * A window that was open while a new version came asks for parts that are gone. It is loaded anew, once in a
 * minute, so that a part that is really missing does not reload for ever.
 */
export function reloadAfterRelease(): void {
  window.addEventListener('vite:preloadError', (event) => {
    // Without the server, loading anew would leave nothing at all.
    if (isUnasked || !isReachable()) return;
    const last = Number(sessionStorage.getItem(KEY) ?? 0);
    if (Date.now() - last < AGAIN_AFTER_MS) return;
    event.preventDefault();
    sessionStorage.setItem(KEY, String(Date.now()));
    location.reload();
  });
}

/** Loads parts that nobody waits for: one that is gone loads nothing anew until somebody asks for it. */
export async function loadUnasked(load: () => Promise<unknown>): Promise<void> {
  isUnasked = true;
  try {
    await load();
  } catch {
    // Whoever goes there asks again.
  } finally {
    isUnasked = false;
  }
}
