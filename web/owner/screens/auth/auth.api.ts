import { useQuery } from '@tanstack/react-query';
import { confirmAccountLink, readAccountLink } from '#contract/account-links.ts';
import { logIn, logInWithGoogle, resetPassword, signUp } from '#contract/accounts.ts';
import { finishSignIn, linkGoogle, mailGoogleLink, startSignIn } from '#contract/google-sign-in.ts';
import type { RouteCall, RouteResponse } from '#contract/route.ts';
import { call } from '../../api/call.ts';
import { clearAuth, storeTokens } from '../../session/session.ts';

/** With cookies, so that the account is notified of a log-in from a new browser. */
export const AS_THIS_BROWSER = { credentials: 'same-origin' } as const;

/** Spec section 4: tokens are stored; an answer with an error logs out. */
export async function openSession(answer: Promise<Parameters<typeof storeTokens>[0]>): Promise<void> {
  try {
    storeTokens(await answer);
  } catch (error) {
    clearAuth();
    throw error;
  }
}

export function logInWithPassword(body: RouteCall<typeof logIn>['body']): Promise<void> {
  return openSession(call(logIn, { body }, AS_THIS_BROWSER));
}

export function logInByGoogle(code: string): Promise<void> {
  return openSession(call(logInWithGoogle, { body: { code } }, AS_THIS_BROWSER));
}

export function createAccount(body: RouteCall<typeof signUp>['body']): Promise<void> {
  return openSession(call(signUp, { body }, AS_THIS_BROWSER));
}

export function mailResetLink(email: string): Promise<unknown> {
  return call(resetPassword, { body: { email } });
}

export function setPasswordByLink(token: string, password: string): Promise<unknown> {
  return call(resetPassword, { body: { token, password } });
}

export function linkGoogleByPassword(linkToken: string, password: string): Promise<void> {
  return openSession(call(linkGoogle, { body: { link_token: linkToken, password } }, AS_THIS_BROWSER));
}

export function mailLinkForGoogle(linkToken: string): Promise<{ email: string }> {
  return call(mailGoogleLink, { body: { link_token: linkToken } });
}

export function startRedirect(): Promise<{ url: string; flow: string }> {
  return call(startSignIn, { body: {} });
}

export function finishRedirect(body: RouteCall<typeof finishSignIn>['body']): Promise<void> {
  return openSession(call(finishSignIn, { body }, AS_THIS_BROWSER));
}

export function useAccountLink(token: string) {
  return useQuery({
    queryKey: ['account-link', token],
    queryFn: ({ signal }) => call(readAccountLink, { body: { token } }, { signal }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
}

export function confirmLink(token: string): Promise<RouteResponse<typeof confirmAccountLink>> {
  return call(confirmAccountLink, { body: { token } });
}
