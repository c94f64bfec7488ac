import { requireSecondFactor } from '#contract/second-factor-rule.ts';
import * as contract from '#contract/second-factors.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { requireSelf } from '#server/accounts/sessions/sessions-of-account.ts';
import type { Services } from '#server/platform/services.ts';
import { setSecondFactorRule } from './second-factor-rule.ts';
import { reauthenticate, startReauthentication } from './reauthentication.ts';
import {
  addPasskey,
  addTotp,
  createRecoveryCodes,
  removePasskey,
  removeTotp,
  renamePasskey,
  secondFactorsOf,
  startPasskey,
  startTotp,
} from './second-factors.ts';

export function secondFactorRoutes(api: Api, services: Services): void {
  api(contract.listSecondFactors, async ({ user, params }) => {
    requireSelf(user, params.id);
    return secondFactorsOf(services.database.global, user.id);
  });

  api(contract.startTotp, async ({ user, params }) => {
    requireSelf(user, params.id);
    return startTotp(services, user);
  });

  api(contract.addTotp, async ({ user, params, body }) => {
    requireSelf(user, params.id);
    return addTotp(services, user, body);
  });

  api(contract.removeTotp, async ({ user, params }) => {
    requireSelf(user, params.id);
    return removeTotp(services, user);
  });

  api(contract.startPasskey, async ({ user, params }) => {
    requireSelf(user, params.id);
    return startPasskey(services, user);
  });

  api(contract.addPasskey, async ({ user, params, body }) => {
    requireSelf(user, params.id);
    return addPasskey(services, user, body);
  });

  api(contract.renamePasskey, async ({ user, params, body }) => {
    requireSelf(user, params.id);
    return renamePasskey(services, user, params.passkey_id, body.name);
  });

  api(contract.removePasskey, async ({ user, params }) => {
    requireSelf(user, params.id);
    return removePasskey(services, user, params.passkey_id);
  });

  api(contract.createRecoveryCodes, async ({ user, params }) => {
    requireSelf(user, params.id);
    return createRecoveryCodes(services, user);
  });

  api(contract.startReauthentication, async ({ user, params }) => {
    requireSelf(user, params.id);
    return startReauthentication(services, user);
  });

  api(contract.reauthenticate, async ({ user, params, body }) => {
    requireSelf(user, params.id);
    return { recent_until: (await reauthenticate(services, user, body)).toISOString() };
  });

  api(requireSecondFactor, async ({ organization, actor, body }) => {
    await setSecondFactorRule(services, organization.id, actor.userId, body.required);
    return { required: body.required };
  });
}
