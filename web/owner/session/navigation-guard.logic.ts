import { SET_UP_PATH } from '#contract/app-paths.ts';
import { NO_ORGANIZATION } from '#contract/accounts.ts';

export interface GuardedRoute {
  path: string;
  /** Path with its query, to come back to. */
  href: string;
  isAuthRequired: boolean;
  /** Fixed to the app host. All but notFound. */
  isAppOnly: boolean;
}

export type GuardVerdict =
  | { kind: 'stay' }
  | { kind: 'go'; to: '/login' | '/dashboard' | '/signup-survey'; next?: string }
  | { kind: 'leave'; url: string };

/** Spec section 4, on every navigation. `appUrl` is null while it is not known. */
export function guard(
  route: GuardedRoute,
  session: { organization: string } | null,
  location: { host: string },
  appUrl: string | null,
): GuardVerdict {
  if (route.isAppOnly && appUrl !== null && new URL(appUrl).host !== location.host) {
    return { kind: 'leave', url: new URL(route.href, appUrl).href };
  }
  if (route.path === '/login' && session) return { kind: 'go', to: '/dashboard' };
  if (!route.isAuthRequired) return { kind: 'stay' };
  if (!session) return { kind: 'go', to: '/login', ...afterLogin(route.href) };
  const hasOrganization = session.organization !== NO_ORGANIZATION;
  if (!hasOrganization && route.path !== '/signup-survey') return { kind: 'go', to: '/signup-survey' };
  if (hasOrganization && route.path === '/signup-survey') return { kind: 'go', to: '/dashboard' };
  return { kind: 'stay' };
}

const DEFAULT_TARGETS = ['/', '/login', '/dashboard', '/signup-survey', SET_UP_PATH];

/** The search parameters of /login that lead back after the log-in. */
export function afterLogin(href: string): { next?: string } {
  const next = safeNext(href);
  const path = next?.split(/[?#]/)[0];
  return next === undefined || DEFAULT_TARGETS.includes(path ?? '') ? {} : { next };
}

/** The log-in's address, which leads back afterwards. */
export function loginHref(href: string): string {
  const search = new URLSearchParams(afterLogin(href));
  return search.size === 0 ? '/login' : `/login?${search}`;
}

/** Stands for this app while an address is read. */
const HERE = 'https://here.invalid';

/** Only a path of this app may follow a log-in, read as the browser will read it; anything else is dropped. */
export function safeNext(next: unknown): string | undefined {
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, HERE)) return undefined;
  const { origin, pathname, search, hash } = new URL(next, HERE);
  if (origin !== HERE || pathname.startsWith('//') || pathname.startsWith('/login')) return undefined;
  return pathname + search + hash;
}
