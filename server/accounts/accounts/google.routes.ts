import { logInWithGoogle } from '#contract/accounts.ts';
import * as contract from '#contract/google-sign-in.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { countNetworkAttempt } from '#server/accounts/sessions/login-limits.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { setDeviceCookie, originOf } from './accounts.routes.ts';
import { identifyByPopup, identifyByRedirect, startRedirect } from './google-identity.ts';
import { linkGoogleByPassword, logInAs, mailGoogleLink, unlinkGoogle } from './google-accounts.ts';

export function googleRoutes(api: Api, services: Services): void {
  api(logInWithGoogle, async ({ body, request, reply }) => {
    const origin = originOf(services, request);
    const takeBack = await countNetworkAttempt(services, origin);
    const identity = await identifyByPopup(services, body.code);
    await takeBack();
    return setDeviceCookie(services, origin, reply, await logInAs(services, identity, origin));
  });

  api(contract.startSignIn, async () => startRedirect(services));

  api(contract.finishSignIn, async ({ body, request, reply }) => {
    const origin = originOf(services, request);
    const takeBack = await countNetworkAttempt(services, origin);
    const identity = await identifyByRedirect(services, body);
    await takeBack();
    return setDeviceCookie(services, origin, reply, await logInAs(services, identity, origin));
  });

  api(contract.linkGoogle, async ({ body, request, reply }) => {
    const origin = originOf(services, request);
    return setDeviceCookie(services, origin, reply, await linkGoogleByPassword(services, body, origin));
  });

  api(contract.mailGoogleLink, async ({ body, request }) => {
    await countNetworkAttempt(services, originOf(services, request));
    return mailGoogleLink(services, body.link_token);
  });

  api(contract.unlinkGoogle, async ({ user, params }) => {
    if (user.id !== params.id) throw notFound('This account');
    return unlinkGoogle(services, user.id);
  });
}
