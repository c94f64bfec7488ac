import { loadUnasked } from './release.ts';
import { partsOfScreens, router } from './router.tsx';

const IDLE_AT_LATEST_MS = 2000;

/** Once a screen of the shell stands, loads the parts of all others: going there waits for its rows alone, if at all. */
export function loadScreensAhead(): void {
  const stop = router.subscribe('onRendered', () => {
    if (!router.state.matches.some(({ staticData }) => staticData.isAuthRequired)) return;
    stop();
    if (!savesData()) void loadAll();
  });
}

async function loadAll(): Promise<void> {
  const routes = Object.values(router.routesById).filter(
    ({ options }) => options.staticData?.isAuthRequired === true,
  );
  const loads = [...routes.map((route) => async () => router.loadRouteChunk(route)), ...partsOfScreens];
  for (const load of loads) {
    await untilIdle();
    await loadUnasked(load);
  }
}

function untilIdle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: IDLE_AT_LATEST_MS });
    else setTimeout(resolve, 200);
  });
}

function savesData(): boolean {
  return 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true;
}
