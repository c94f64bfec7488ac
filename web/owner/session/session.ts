import { useSyncExternalStore } from 'react';
import type { Account } from '#contract/accounts.ts';
import { logOut as logOutRoute } from '#contract/accounts.ts';
import { callRoute } from '#contract/client.ts';
import { keptInBrowser } from '#web/ui/browser-storage.ts';
import { type Auth, parseAuth, type TokenAnswer, tokensFrom } from './session.logic.ts';

/** Spec section 3: the entry of local storage that holds the session. */
const AUTH_KEY = 'auth';
const TOKEN_SINCE_KEY = 'auth_token_since';
const REFRESHED_AT_KEY = 'auth_refreshed_at';
/** The refresh token of a session that the person signed out of while the server couldn't be reached. */
const TO_END_KEY = 'auth_to_end';

/** `signed_out`: the person asked for it in this window. */
type AuthOrigin = 'here' | 'elsewhere' | 'signed_out';
type AuthListener = (origin: AuthOrigin) => void;

const listeners = new Set<AuthListener>();
let cached: { raw: string | null; auth: Auth | null } = { raw: null, auth: null };

/** The stored session, read every time because another tab may have changed it. */
export function readAuth(): Auth | null {
  const raw = keptInBrowser.getItem(AUTH_KEY);
  if (raw !== cached.raw) cached = { raw, auth: parseAuth(raw) };
  return cached.auth;
}

/** Stores the tokens of a response, and returns the session. A response without a token logs out. */
export function storeTokens(answer: TokenAnswer): Auth | null {
  const auth = tokensFrom(answer);
  if (!auth) {
    clearAuth();
    return null;
  }
  keptInBrowser.setItem(TOKEN_SINCE_KEY, String(Date.now()));
  keptInBrowser.setItem(AUTH_KEY, JSON.stringify(auth));
  announce('here');
  return auth;
}

/** Sets the organization of the stored token (the last step of the survey). */
export function storeOrganization(organization: Account['organization']): void {
  const auth = readAuth();
  if (!auth || auth.organization === organization) return;
  keptInBrowser.setItem(AUTH_KEY, JSON.stringify({ ...auth, organization }));
  announce('here');
}

/** Ends the session in every tab. */
export function clearAuth(origin: AuthOrigin = 'here'): void {
  for (const key of [AUTH_KEY, TOKEN_SINCE_KEY, REFRESHED_AT_KEY]) keptInBrowser.removeItem(key);
  announce(origin);
}

/** Ends the session here and on the server: there once it can be reached, even while the window closes. */
export async function logOut(): Promise<void> {
  const auth = readAuth();
  clearAuth('signed_out');
  if (auth) keptInBrowser.setItem(TO_END_KEY, auth.refresh);
  await endSignedOut();
}

/** Ends the session that the person signed out of, unless the server can't be reached. */
export async function endSignedOut(): Promise<void> {
  const refresh_token = keptInBrowser.getItem(TO_END_KEY);
  if (!refresh_token) return;
  try {
    await callRoute(logOutRoute, { body: { refresh_token } }, { keepalive: true });
    keptInBrowser.removeItem(TO_END_KEY);
  } catch {
    // It stays to be ended when the connection is back, or with the next start.
  }
}

export function isLogged(): boolean {
  return readAuth() !== null;
}

/** When the tokens were stored here, in ms since 1970. */
export const tokenSince = (): number => Number(keptInBrowser.getItem(TOKEN_SINCE_KEY));

/** When they were last refreshed here, in ms since 1970. */
export const refreshedAt = (): number => Number(keptInBrowser.getItem(REFRESHED_AT_KEY));

export function markRefreshed(): void {
  keptInBrowser.setItem(REFRESHED_AT_KEY, String(Date.now()));
}

/** Calls back whenever this or another tab changes the session. */
export function onAuthChange(listener: AuthListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSession(): Auth | null {
  return useSyncExternalStore(onAuthChange, readAuth);
}

function announce(origin: AuthOrigin): void {
  for (const listener of listeners) listener(origin);
}

window.addEventListener('storage', (event) => {
  if (event.key === AUTH_KEY || event.key === null) announce('elsewhere');
});
