import { isReachable } from './connection.ts';
import { isLoadingUnasked } from './read-ahead.ts';

const KEY = 'reloaded-for-release';
const AGAIN_AFTER_MS = 60_000;

/**
 * A window that was open while a new version came asks for parts that are gone. It is loaded anew, once in a
 * minute, so that a part that is really missing does not reload for ever.
 */
export function reloadAfterRelease(): void {
  window.addEventListener('vite:preloadError', (event) => {
    // Without the server, loading anew would leave nothing at all.
    if (isLoadingUnasked() || !isReachable()) return;
    const last = Number(sessionStorage.getItem(KEY) ?? 0);
    if (Date.now() - last < AGAIN_AFTER_MS) return;
    event.preventDefault();
    sessionStorage.setItem(KEY, String(Date.now()));
    location.reload();
  });
}
