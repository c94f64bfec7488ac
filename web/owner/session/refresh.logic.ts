/** Spec section 9: after a refused call the session is refreshed at most once in this time. */
export const REFRESH_THROTTLE_MS = 60_000;

/** How long before its expiry a token is refreshed, so that no call uses an expired one. */
const RENEW_EARLY_MS = 60_000;

export type AfterRefusal = 'reload' | 'refresh' | 'log_out';

/**
 * What to do after the server refused `usedToken`.
 * If another tab has stored newer tokens meanwhile, they are used.
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

/** A JWT's lifetime in ms from its own claims; null without them. */
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
 * Milliseconds until the token should be refreshed (0: now); null if its lifetime is unknown.
 * Counted from when it was stored here, so a wrong clock on this machine does no harm.
 */
export function msUntilRenewal(token: string, tokenSince: number, now: number): number | null {
  const lifetime = lifetimeOf(token);
  if (lifetime === null) return null;
  const early = Math.min(RENEW_EARLY_MS, lifetime / 2);
  return Math.max(0, tokenSince + lifetime - early - now);
}
