import { ahead, loadUnasked, partsOfScreens, readers } from './read-ahead.ts';
import type { router } from './router.tsx';

const IDLE_AT_LATEST_MS = 2000;

/**
 * From now on a screen's rows are asked for when a link points at it, or as soon as it is on its way; and the parts of
 * all screens are loaded while nothing else is to be done. Going there waits for one answer at most. The router is
 * handed in: imported here, it would be a part of its own, and the first load larger.
 */
export async function loadScreensAhead(app: typeof router): Promise<void> {
  ahead.read = ({ pathname, search }) => {
    const [, noun = '', id = ''] = pathname.split('/');
    const read = readers[id === '' ? `/${noun}` : `/${noun}/$id`];
    if (read && ahead.site && IDS.test(id)) read({ site: ahead.site, id, search: { ...search } });
  };
  if (savesData()) return;
  const routes = Object.values(app.routesById).filter(
    ({ options }) => options.staticData?.isAuthRequired === true,
  );
  partsOfScreens.unshift(...routes.map((route) => async () => app.loadRouteChunk(route)));
  // Those that come bring parts of their own, which are loaded after them.
  for (const load of partsOfScreens) {
    await untilIdle();
    await loadUnasked(load);
  }
}

/** None, or one of a thing that is there: `new` is none yet. */
const IDS = /^(?:[\da-f]{8}-[\da-f-]+)?$/;

function untilIdle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: IDLE_AT_LATEST_MS });
    else setTimeout(resolve, 200);
  });
}

function savesData(): boolean {
  return 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true;
}
