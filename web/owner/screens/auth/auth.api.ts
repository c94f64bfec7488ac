import { logIn, logInWithGoogle, resetPassword, signUp } from '#contract/accounts.ts';
import type { RouteCall } from '#contract/route.ts';
import { call } from '../../api.ts';
import { clearAuth, storeTokens } from '../../session.ts';

/** Spec section 4: tokens are stored; an answer with an error logs out. */
async function openSession(answer: Promise<Parameters<typeof storeTokens>[0]>): Promise<void> {
  try {
    storeTokens(await answer);
  } catch (error) {
    clearAuth();
    throw error;
  }
}

export function logInWithPassword(body: RouteCall<typeof logIn>['body']): Promise<void> {
  return openSession(call(logIn, { body }));
}

export function logInByGoogle(code: string): Promise<void> {
  return openSession(call(logInWithGoogle, { body: { code } }));
}

export function createAccount(body: RouteCall<typeof signUp>['body']): Promise<void> {
  return openSession(call(signUp, { body }));
}

export function mailResetLink(email: string): Promise<unknown> {
  return call(resetPassword, { body: { email } });
}

export function setPasswordByLink(token: string, password: string): Promise<unknown> {
  return call(resetPassword, { body: { token, password } });
}
