import * as contract from '#contract/accounts.ts';
import type { Api } from '#server/features/access/access.ts';
import { bearerToken } from '#server/features/access/guards.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/limits.ts';
import type { Services } from '#server/platform/services.ts';
import {
  askForPasswordLink,
  changeAccount,
  changePassword,
  createAccount,
  getAccount,
  logIn,
  logInWithGoogle,
  setPasswordByLink,
} from './accounts.ts';
import { endSession, refreshSession, requireSession } from './sessions.ts';

const SIGN_UPS: Limit = { name: 'sign-up', points: 200, perSeconds: 3600 };
const LOGINS_OF_NAME: Limit = { name: 'login-name', points: 10, perSeconds: 900 };
const LOGINS_OF_IP: Limit = { name: 'login-ip', points: 100, perSeconds: 900 };
const PASSWORD_LINKS_OF_EMAIL: Limit = { name: 'password-link', points: 5, perSeconds: 3600 };
const PASSWORD_TRIES: Limit = { name: 'password-try', points: 10, perSeconds: 900 };

export function accountRoutes(api: Api, services: Services): void {
  const { limits } = services;

  api(contract.signUp, async ({ body, request }) => {
    await limits.use(SIGN_UPS, request.ip);
    return createAccount(services, body, request.headers['user-agent']);
  });

  api(contract.logIn, async ({ body, request }) => {
    await limits.use(LOGINS_OF_IP, request.ip);
    const name = body.username.toLowerCase();
    await limits.use(LOGINS_OF_NAME, name);
    const tokens = await logIn(services, body.username, body.password, request.headers['user-agent']);
    // Only tries that failed count.
    await Promise.all([limits.giveBack(LOGINS_OF_IP, request.ip), limits.giveBack(LOGINS_OF_NAME, name)]);
    return tokens;
  });

  api(contract.logInWithGoogle, async ({ body, request }) => {
    await limits.use(LOGINS_OF_IP, request.ip);
    return logInWithGoogle(services, body.code, request.headers['user-agent']);
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
      await limits.use(PASSWORD_LINKS_OF_EMAIL, body.email.toLowerCase());
      await limits.use(LOGINS_OF_IP, request.ip);
      await askForPasswordLink(services, body.email);
      return { message: 'If there is an account with this address, a link is on its way.' };
    }
    await limits.use(PASSWORD_TRIES, request.ip);
    if ('token' in body) await setPasswordByLink(services, body.token, body.password);
    else {
      const session = await requireSession(services, bearerToken(request));
      await changePassword(services, session.userId, body.current_password, body.password);
    }
    return { message: 'The new password is set. Log in with it.' };
  });
}
