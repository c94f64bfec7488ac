import type { SiteParams } from '../site/site-params.ts';

/** The screen that a link leads to. */
export interface PrefetchTarget {
  site: SiteParams;
  pathname: string;
  /** From the path; empty where the screen is not about one thing. */
  id: string;
  /** As the screen's route validates it. */
  search: Record<string, unknown>;
}

/** What the file of a screen may export besides its component. */
export interface ScreenModule {
  /** Requests the screen's first rows into the query cache. */
  prefetch?: (target: PrefetchTarget) => void;
  /** Components that the screen itself loads lazily. */
  lazyComponents?: readonly { preload: () => Promise<void> }[];
}

/** What a route of the shell loads ahead of time, besides its component. */
export interface RoutePrefetch {
  from?: (() => Promise<ScreenModule>) | undefined;
  /** The screen's texts, and the component that the route renders with props. */
  loader: () => Promise<void>;
}

let site: SiteParams | null = null;

/** The site whose rows are prefetched; null while no screen of one is shown. */
export function setPrefetchSite(next: SiteParams | null): void {
  site = next;
}

/** No id, or the id of something that exists: `new` is none yet. */
const PREFETCHABLE_ID = /^(?:[\da-f]{8}-[\da-f-]+)?$/;

/** Requests a screen's first rows when a link is pointed at or followed. */
export function prefetchRows(
  from: NonNullable<RoutePrefetch['from']>,
  { pathname, search }: { pathname: string; search: object },
): void {
  const [, , id = ''] = pathname.split('/');
  if (site === null || !PREFETCHABLE_ID.test(id)) return;
  const target = { site, pathname, id, search: { ...search } };
  const known = loadedModules.get(from);
  if (known !== undefined) return known.prefetch?.(target);
  loadModule(from).then(
    ({ prefetch }) => prefetch?.(target),
    // The screen itself says what failed.
    () => null,
  );
}

const loadedModules = new Map<NonNullable<RoutePrefetch['from']>, ScreenModule>();

/**
 * A screen's file, kept: asking for a loaded one again takes the browser a task of its own, and the screen would be
 * drawn before its rows are requested.
 */
export async function loadModule(from: NonNullable<RoutePrefetch['from']>): Promise<ScreenModule> {
  const module = await from();
  loadedModules.set(from, module);
  return module;
}

let isLoading = false;

/** Whether the running load is one that nobody waits for. */
export const isLoadingInBackground = () => isLoading;

/** Loads what nobody waits for yet. A failure is ignored: opening the screen asks again. */
export function loadInBackground(load: () => Promise<unknown>): Promise<void> {
  isLoading = true;
  const end = () => {
    isLoading = false;
  };
  return load().then(end, end);
}
