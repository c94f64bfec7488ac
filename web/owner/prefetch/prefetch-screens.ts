import type { AnyRoute, RegisteredRouter } from '@tanstack/react-router';
import { loadInBackground } from './prefetch.ts';

const IDLE_AT_LATEST_MS = 2000;

/** Loads the code and texts of all screens while the browser is idle, so that opening one waits for its rows at most. */
export async function prefetchScreens(router: RegisteredRouter): Promise<void> {
  if (savesData()) return;
  const routes: AnyRoute[] = Object.values(router.routesById);
  const screens = routes.filter(({ options }) => options.staticData?.isAuthRequired === true);
  const prefetches = screens.flatMap(({ options }) => options.staticData?.prefetch ?? []);
  for (const screen of screens) await loadWhenIdle(async () => router.loadRouteChunk(screen));
  for (const { loader } of prefetches) await loadWhenIdle(loader);
  for (const { from } of prefetches) {
    const { lazyComponents = [] } = (await from?.().catch(() => null)) ?? {};
    for (const { preload } of lazyComponents) await loadWhenIdle(preload);
  }
}

async function loadWhenIdle(load: () => Promise<unknown>): Promise<void> {
  await untilIdle();
  await loadInBackground(load);
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
