import { SET_UP_PATH } from '#contract/app-paths.ts';
import { resetPassword } from '#contract/accounts.ts';
import { ApiError, callRoute, type Send } from '#contract/client.ts';
import type { Route, RouteCall, RouteResponse } from '#contract/route.ts';
import { requireSecondFactor } from '#contract/second-factor-rule.ts';
import { reportUnreachable } from './reachability.ts';
import { loginHref } from '../session/navigation-guard.logic.ts';
import { leaveWithoutPrompt } from '../session/forced-navigation.ts';
import { queryClient } from './query-client.ts';
import { recover, renewIfDue } from '../session/refresh.ts';
import { readAuth } from '../session/session.ts';

/**
 * Calls a route of the contract with the owner's session.
 * @throws ApiError with `data`, `errors` and `message` (spec section 8). For a refused session it never returns: the page reloads or goes to /login.
 */
export async function call<R extends Route>(
  route: R,
  input: RouteCall<R>,
  options: { signal?: AbortSignal; send?: Send; credentials?: RequestCredentials } = {},
): Promise<RouteResponse<R>> {
  if (takesSession(route)) await renewIfDue();
  const token = takesSession(route) ? readAuth()?.token : undefined;
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  try {
    return await callRoute(route, input, { ...options, headers });
  } catch (error) {
    if (error instanceof ApiError && error.status === 0) reportUnreachable();
    if (token && isRefusedSession(error)) return recover(token);
    if (isSetUpRequired(route, error)) return goToSetUp();
    // The role was changed meanwhile: reloading the account updates what is offered.
    if (error instanceof ApiError && error.errors.some(({ code }) => code === 'forbidden')) {
      void queryClient.invalidateQueries({ queryKey: ['account'] });
    }
    throw error;
  }
}

function isSetUpRequired(route: Route, error: unknown): boolean {
  // Requiring it of the team without having one: the form itself shows the refusal.
  if (!(error instanceof ApiError) || route === requireSecondFactor) return false;
  return error.errors.some(({ code }) => code === 'second_factor_setup_required');
}

/** Until a second factor is set up, the server refuses everything else. */
function goToSetUp(): Promise<never> {
  const here = loginHref(location.pathname + location.search);
  leaveWithoutPrompt(() => location.assign(here.replace('/login', SET_UP_PATH)));
  return new Promise<never>(() => {});
}

function takesSession(route: Route): boolean {
  return ['user', 'organization', 'site'].includes(route.access) || route === resetPassword;
}

function isRefusedSession(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const codes = error.errors.map((item) => item.code);
  // A wrong current password is for the form to show.
  if (codes.includes('invalid_credentials')) return false;
  return error.status === 401 || codes.includes('token_not_valid');
}
