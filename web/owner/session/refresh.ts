import { refreshTokens } from '#contract/accounts.ts';
import { ApiError, callRoute } from '#contract/client.ts';
import { loginHref } from './navigation-guard.logic.ts';
import { leaveWithoutPrompt } from './forced-navigation.ts';
import { afterRefusal, msUntilRenewal } from './refresh.logic.ts';
import { pendingSecondStep } from './pending-second-step.ts';
import {
  clearAuth,
  markRefreshed,
  onAuthChange,
  readAuth,
  refreshedAt,
  storeTokens,
  tokenSince,
} from './session.ts';

/** One tab at a time. Without locks (plain http), the server tolerates two at once. */
function withRefreshLock<T>(work: () => Promise<T>): Promise<T> {
  return 'locks' in navigator ? navigator.locks.request('sayso-refresh', work) : work();
}

/** Exchanges the refresh token. A refused one ends the session; an unreachable server does not. */
async function refreshToken(): Promise<void> {
  const auth = readAuth();
  if (!auth) return;
  try {
    const answer = await callRoute(refreshTokens, { body: { refresh_token: auth.refresh } });
    // In this order: other windows are told of each entry separately, and must not see the old token as just refreshed.
    if (storeTokens(answer)) markRefreshed();
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429)
      clearAuth();
    else throw error;
  }
}

/** Refreshes the token shortly before it expires. */
export async function renewIfDue(): Promise<void> {
  if (!isDue()) return;
  await withRefreshLock(async () => {
    if (isDue()) await refreshToken();
  }).catch(() => null);
}

/**
 * Spec section 8: after a refused call, refreshes at most once per 60 s and reloads;
 * otherwise logs out to /login. Rejects only when the server could not be reached.
 */
export async function recover(usedToken: string): Promise<never> {
  const hrefBefore = location.pathname + location.search;
  await withRefreshLock(async () => {
    const stored = readAuth();
    const next = afterRefusal({
      usedToken,
      storedToken: stored?.token ?? null,
      refreshedAt: refreshedAt(),
      now: Date.now(),
    });
    if (next === 'refresh') await refreshToken();
    if (next === 'log_out') clearAuth();
  });
  // A call that was on its way when the session gave way to a second step: reloading would lose the step.
  if (pendingSecondStep() !== null) return new Promise<never>(() => {});
  leaveWithoutPrompt(() => {
    if (readAuth()) location.reload();
    else location.assign(loginHref(hrefBefore));
  });
  return new Promise<never>(() => {});
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Keeps the session fresh for as long as the app is open. */
export function keepFresh(): void {
  schedule();
  onAuthChange(schedule);
  // Timers sleep with the machine: waking up refreshes.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void renewIfDue().then(schedule);
  });
}

function schedule(): void {
  clearTimeout(timer);
  const wait = untilRenewal();
  if (wait !== null) timer = setTimeout(() => void renewIfDue().then(schedule), Math.max(wait, 1000));
}

function isDue(): boolean {
  return untilRenewal() === 0;
}

function untilRenewal(): number | null {
  const auth = readAuth();
  return auth && msUntilRenewal(auth.token, tokenSince(), Date.now());
}
