import { emailKey } from '#contract/email-key.ts';
import * as contract from '#contract/members.ts';
import type { Api, SiteContext } from '#server/accounts/access/access.ts';
import { networkOf } from '#server/platform/client-network.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import {
  acceptInvitation,
  invite,
  resendInvitation,
  listInvitations,
  readInvitation,
  requireInvitation,
  withdraw,
} from './invitations.ts';
import { changeMember, type MemberAction, leave, listMembers, removeMember } from './members.ts';

const MAILS_OF_ORGANIZATION: Limit = { name: 'invitation-mails', points: 50, perSeconds: 3600 };
const MAILS_TO_ADDRESS: Limit = { name: 'invitation-address', points: 10, perSeconds: 86_400 };
const LOOKS: Limit = { name: 'invitation-look', points: 60, perSeconds: 900 };
const TRIES: Limit = { name: 'invitation-try', points: 20, perSeconds: 900 };

function doing({ site, actor }: SiteContext): MemberAction {
  return { organizationId: site.organizationId, actor };
}

export function memberRoutes(api: Api, services: Services): void {
  const { limits } = services;

  api(contract.listMembers, async ({ site }) => ({
    results: await listMembers(services, site.organizationId),
    next: null,
    invitations: await listInvitations(services, site.organizationId),
  }));

  api(contract.inviteMember, async ({ site, actor, body }) => {
    await limits.use(MAILS_OF_ORGANIZATION, site.organizationId);
    await limits.use(MAILS_TO_ADDRESS, emailKey(body.email));
    return invite(services, doing({ site, actor }), body);
  });

  api(contract.resendInvitation, async ({ site, actor, params }) => {
    await limits.use(MAILS_OF_ORGANIZATION, site.organizationId);
    const { email } = await requireInvitation(services, site.organizationId, params.id);
    await limits.use(MAILS_TO_ADDRESS, emailKey(email));
    return resendInvitation(services, doing({ site, actor }), params.id);
  });

  api(contract.withdrawInvitation, async ({ site, actor, params }) => {
    await withdraw(services, doing({ site, actor }), params.id);
    return null;
  });

  api(contract.changeMember, async ({ site, actor, params, body }) =>
    changeMember(services, doing({ site, actor }), params.id, body.role),
  );

  api(contract.removeMember, async ({ site, actor, params, query }) => {
    await removeMember(services, doing({ site, actor }), params.id, query.api_keys);
    return null;
  });

  api(contract.leaveOrganization, async ({ site, actor }) => {
    await leave(services, doing({ site, actor }));
    return null;
  });

  api(contract.readInvitation, async ({ body, request }) => {
    await limits.useHere(LOOKS, networkOf(request.ip));
    return readInvitation(services, body.token);
  });

  api(contract.acceptInvitation, async ({ user, body }) => {
    await limits.use(TRIES, user.id);
    return acceptInvitation(services, user.id, body);
  });
}
