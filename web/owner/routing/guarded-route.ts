import { type ParsedLocation, redirect, type StaticDataRouteOption } from '@tanstack/react-router';
import i18next, { type FlatNamespace } from 'i18next';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { appSettingsQuery } from '../api/app-settings.ts';
import { queryClient } from '../api/query-client.ts';
import { prefetchRows, type RoutePrefetch } from '../prefetch/prefetch.ts';
import { guard, safeNext } from '../session/navigation-guard.logic.ts';
import { logOut, readAuth } from '../session/session.ts';
import { rootRoute, shellRoute } from './layout-routes.ts';
import { showTitle, type TitleKey } from './titles.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** On the way to /login: ends the session, unless an unsaved form keeps the person here. */
    signOut?: boolean;
  }
  interface StaticDataRouteOption {
    /** Without one the title is the product's name. */
    title?: TitleKey;
    isAuthRequired?: boolean;
    /** Screens of the shell have it. */
    prefetch?: RoutePrefetch;
  }
}

interface Navigation {
  location: ParsedLocation;
  /** As the route validates it. */
  search: object;
  /** A link is pointed at, and not followed yet. */
  preload: boolean;
}

interface RouteOptions extends Omit<StaticDataRouteOption, 'prefetch'> {
  isAppOnly?: boolean;
  /** Namespaces of the screen's texts, loaded before it renders. */
  texts?: readonly FlatNamespace[];
  /** A lazy screen that the route does not name as its component, because it takes props. */
  screen?: { preload?: () => Promise<void> | undefined };
}

interface ShellRouteOptions extends Omit<RouteOptions, 'isAuthRequired'> {
  /** Imports the screen's file, which says what to prefetch. */
  prefetchFrom?: RoutePrefetch['from'];
}

/** The navigation guard of spec section 4, for a route with these options. */
export function guarded({ isAppOnly = true, texts = [], screen, ...staticData }: RouteOptions = {}) {
  return {
    getParentRoute: () => rootRoute,
    staticData,
    async beforeLoad(navigation: Navigation): Promise<void> {
      await enter(navigation, { isAppOnly, ...staticData });
    },
    async loader(): Promise<void> {
      await Promise.all([i18next.loadNamespaces(texts), screen?.preload?.()]);
    },
  };
}

/** A route of the shell: for owners who are logged in. */
export function inShell({ prefetchFrom: from, ...options }: ShellRouteOptions) {
  const route = guarded({ ...options, isAuthRequired: true });
  const prefetch: RoutePrefetch = { from, loader: () => route.loader() };
  return {
    ...route,
    getParentRoute: () => shellRoute,
    staticData: { ...route.staticData, prefetch },
    async beforeLoad(navigation: Navigation): Promise<void> {
      await route.beforeLoad(navigation);
      if (from) prefetchRows(from, { pathname: navigation.location.pathname, search: navigation.search });
    },
    pendingComponent: Skeleton,
  };
}

async function enter(
  { location, preload }: Navigation,
  { isAppOnly, isAuthRequired = false, title }: Pick<RouteOptions, 'isAppOnly' | 'isAuthRequired' | 'title'>,
): Promise<void> {
  const settings = await queryClient.ensureQueryData(appSettingsQuery).catch(() => null);
  if (location.state.signOut && !preload) {
    void logOut();
    throw redirect({ to: '/login', replace: true });
  }
  const route = {
    path: location.pathname,
    href: location.href,
    isAuthRequired,
    isAppOnly: isAppOnly === true,
  };
  const verdict = guard(route, readAuth(), window.location, settings?.app_url ?? null);
  if (verdict.kind === 'leave') {
    window.location.assign(verdict.url);
    await new Promise<never>(() => {});
  }
  if (verdict.kind === 'go') {
    throw redirect({ to: verdict.to, search: verdict.next ? { next: verdict.next } : {}, replace: true });
  }
  if (!preload) showTitle(title, i18next.getFixedT(null, 'shell'));
}

/** The search of a route that leads somewhere else afterwards. */
export function nextOf(search: Record<string, unknown>): { next?: string } {
  const next = safeNext(search['next']);
  return next === undefined ? {} : { next };
}
