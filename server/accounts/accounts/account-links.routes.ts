import * as contract from '#contract/account-links.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { nameKey } from '#server/accounts/users/account-names.ts';
import { networkOf } from '#server/platform/client-network.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { requestEmailChange, cancelEmailChange } from './account-email.ts';
import { confirmAccountLink, type LinkHooks, readAccountLink } from './confirm-account-link.ts';

const EMAIL_CHANGES: Limit = { name: 'email-change', points: 10, perSeconds: 3600 };
/** So that an account cannot be used to flood somebody else's mailbox. */
const MAILS_TO_NEW_ADDRESS: Limit = { name: 'email-change-mail', points: 5, perSeconds: 3600 };
const LINK_TRIES: Limit = { name: 'account-link', points: 60, perSeconds: 900 };

export function accountLinkRoutes(api: Api, services: Services, hooks: LinkHooks): void {
  const { limits } = services;

  api(contract.changeEmail, async ({ user, params, body }) => {
    if (user.id !== params.id) throw notFound('This account');
    await limits.use(EMAIL_CHANGES, user.id);
    await limits.use(MAILS_TO_NEW_ADDRESS, sha256(nameKey(body.email)).toString('base64url'));
    return requestEmailChange(services, user, body);
  });

  api(contract.cancelEmailChange, async ({ user, params }) => {
    if (user.id !== params.id) throw notFound('This account');
    return cancelEmailChange(services, user.id);
  });

  api(contract.readAccountLink, async ({ body, request }) => {
    await limits.use(LINK_TRIES, networkOf(request.ip));
    return readAccountLink(services, body.token);
  });

  api(contract.confirmAccountLink, async ({ body, request }) => {
    await limits.use(LINK_TRIES, networkOf(request.ip));
    return confirmAccountLink(services, body.token, hooks);
  });
}
