import type { FastifyReply, FastifyRequest } from 'fastify';
import * as contract from '#contract/accounts.ts';
import { finishLogIn as finishLogInRoute } from '#contract/second-factors.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { deviceCookie, readDevice } from '#server/accounts/sessions/known-devices.ts';
import { countNetworkAttempt, type LoginOrigin } from '#server/accounts/sessions/login-limits.ts';
import { endSession, refreshSession, requireSession } from '#server/accounts/sessions/sessions.ts';
import { nameKey } from '#server/accounts/users/account-names.ts';
import { networkOf } from '#server/platform/client-network.ts';
import { AppError } from '#server/platform/errors.ts';
import { bearerToken } from '#server/platform/http/headers.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { requestPasswordLink, changePassword, setPasswordByLink } from './account-passwords.ts';
import { changeAccount, createAccount, getAccount, logIn } from './accounts.ts';
import { finishLogIn } from './finish-log-in.ts';

const SIGN_UPS: Limit = { name: 'sign-up', points: 200, perSeconds: 3600 };
const PASSWORD_LINKS_OF_EMAIL: Limit = { name: 'password-link', points: 5, perSeconds: 3600 };
const PASSWORD_TRIES: Limit = { name: 'password-try', points: 10, perSeconds: 900 };

export function originOf(services: Services, request: FastifyRequest): LoginOrigin {
  return {
    ip: request.ip,
    userAgent: request.headers['user-agent'],
    device: readDevice(services, request.headers.cookie),
  };
}

/** Remembers the device that logged in. */
export function setDeviceCookie<T extends { user_id: string }>(
  services: Services,
  { device }: LoginOrigin,
  reply: FastifyReply,
  answer: T,
): T {
  reply.header('set-cookie', deviceCookie(services, device, answer.user_id));
  return answer;
}

export function accountRoutes(api: Api, services: Services): void {
  const { limits } = services;

  api(contract.signUp, async ({ body, request, reply }) => {
    await limits.use(SIGN_UPS, networkOf(request.ip));
    const origin = originOf(services, request);
    return setDeviceCookie(services, origin, reply, await createAccount(services, body, origin.userAgent));
  });

  api(contract.logIn, async ({ body, request, reply }) => {
    const origin = originOf(services, request);
    const tokens = await logIn(services, body.username, body.password, origin);
    return setDeviceCookie(services, origin, reply, tokens);
  });

  api(finishLogInRoute, async ({ body: { ticket, ...given }, request, reply }) => {
    const origin = originOf(services, request);
    return setDeviceCookie(services, origin, reply, await finishLogIn(services, ticket, given, origin));
  });

  api(contract.refreshTokens, async ({ body }) => refreshSession(services, body.refresh_token));

  api(contract.logOut, async ({ body }) => {
    await endSession(services, body.refresh_token);
    return null;
  });

  api(contract.getAccount, async ({ user, params }) => getAccount(services, user.id, params.id));

  api(contract.updateAccount, async ({ user, params, body }) =>
    changeAccount(services, user.id, params.id, body),
  );

  api(contract.updateAccountWithoutId, async () => {
    throw new AppError('no_id', 'Unable to update account: No ID provided');
  });

  api(contract.resetPassword, async ({ body, request }) => {
    if ('email' in body) {
      await limits.use(PASSWORD_LINKS_OF_EMAIL, sha256(nameKey(body.email)).toString('base64url'));
      await countNetworkAttempt(services, originOf(services, request));
      await requestPasswordLink(services, body.email);
      return { message: "If an account uses this email, we've sent it a link." };
    }
    await limits.use(PASSWORD_TRIES, networkOf(request.ip));
    if ('token' in body) await setPasswordByLink(services, body.token, body.password);
    else {
      const session = await requireSession(services, bearerToken(request));
      await changePassword(services, session.userId, body.current_password, body.password);
    }
    return { message: 'Your new password is set. Log in with it.' };
  });
}
