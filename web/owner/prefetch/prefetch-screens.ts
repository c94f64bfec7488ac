import type { AnyRoute, RegisteredRouter } from '@tanstack/react-router';
import { queryClient } from '../api/query-client.ts';
import { loadInBackground, loadModule, prefetchRows } from './prefetch.ts';

const IDLE_AT_LATEST_MS = 2000;

let code: Promise<void> | undefined;

/**
 * While the browser is idle, loads the code and texts of all screens, and then the first rows of the main ones: opening
 * one of those waits for nothing.
 * @param mainPaths of the screens whose rows are requested, one after the other
 * @param signal ends it when another site is shown
 */
export async function prefetchScreens(
  router: RegisteredRouter,
  mainPaths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (savesData()) return;
  await (code ??= loadCode(router));
  const routes = router.routesByPath as Record<string, AnyRoute | undefined>;
  for (const pathname of mainPaths) {
    await untilQuiet();
    if (signal.aborted) return;
    const from = routes[pathname]?.options.staticData?.prefetch?.from;
    // What is shown has its rows.
    if (from && router.latestLocation.pathname !== pathname) prefetchRows(from, { pathname, search: {} });
  }
}

async function loadCode(router: RegisteredRouter): Promise<void> {
  const routes: AnyRoute[] = Object.values(router.routesById);
  const screens = routes.filter(({ options }) => options.staticData?.isAuthRequired === true);
  const prefetches = screens.flatMap(({ options }) => options.staticData?.prefetch ?? []);
  for (const screen of screens) await loadWhenIdle(async () => router.loadRouteChunk(screen));
  for (const { loader } of prefetches) await loadWhenIdle(loader);
  for (const { from } of prefetches) {
    if (!from) continue;
    const { lazyComponents = [] } = (await loadModule(from).catch(() => null)) ?? {};
    for (const { preload } of lazyComponents) await loadWhenIdle(preload);
  }
}

async function loadWhenIdle(load: () => Promise<unknown>): Promise<void> {
  await untilIdle();
  await loadInBackground(load);
}

/** Until the browser is idle and no answer of the server is awaited: no other calls queue behind these. */
async function untilQuiet(): Promise<void> {
  do await untilIdle();
  while (queryClient.isFetching() > 0);
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
