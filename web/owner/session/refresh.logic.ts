/** Spec section 9: after a refused call the session is refreshed at most once in this time. */
export const REFRESH_THROTTLE_MS = 60_000;

/** How long before its end a token is renewed, so that no call meets an expired one. */
const RENEW_EARLY_MS = 60_000;

export type AfterRefusal = 'reload' | 'refresh' | 'log_out';

/**
 * What to do after the server refused `usedToken`.
 * When another tab has stored newer tokens meanwhile, they are simply used.
 */
export function afterRefusal(state: {
  usedToken: string;
  storedToken: string | null;
  refreshedAt: number;
  now: number;
}): AfterRefusal {
  if (state.storedToken === null) return 'log_out';
  if (state.storedToken !== state.usedToken) return 'reload';
  return state.now - state.refreshedAt < REFRESH_THROTTLE_MS ? 'log_out' : 'refresh';
}

/** Lifetime of a JWT in ms from its own claims, or null when it does not say. */
export function lifetimeOf(token: string): number | null {
  const payload = token.split('.')[1];
  if (!payload) return null;
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    if (typeof claims !== 'object' || claims === null) return null;
    const { exp, iat } = claims as { exp?: unknown; iat?: unknown };
    return typeof exp === 'number' && typeof iat === 'number' ? (exp - iat) * 1000 : null;
  } catch {
    return null;
  }
}

/**
 * Milliseconds until the token should be renewed (0: now), or null when it never says.
 * Counted from when it was stored here, so a wrong clock on this machine does no harm.
 */
export function msUntilRenewal(token: string, tokenSince: number, now: number): number | null {
  const lifetime = lifetimeOf(token);
  if (lifetime === null) return null;
  const early = Math.min(RENEW_EARLY_MS, lifetime / 2);
  return Math.max(0, tokenSince + lifetime - early - now);
}
