import { isReachable } from '../api/reachability.ts';
import { isLoadingInBackground } from '../prefetch/prefetch.ts';

const KEY = 'reloaded-for-release';
const RELOAD_EVERY_MS = 60_000;

/**
 * A window that stayed open over a release asks for chunks that are gone. It is reloaded, at most once a minute, so that
 * a chunk that is really missing does not reload it for ever.
 */
export function reloadAfterRelease(): void {
  window.addEventListener('vite:preloadError', (event) => {
    // Reloading without the server would leave nothing at all.
    if (isLoadingInBackground() || !isReachable()) return;
    const last = Number(sessionStorage.getItem(KEY) ?? 0);
    if (Date.now() - last < RELOAD_EVERY_MS) return;
    event.preventDefault();
    sessionStorage.setItem(KEY, String(Date.now()));
    location.reload();
  });
}
