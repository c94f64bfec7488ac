import { z } from 'zod';
import { email, id, timestamp } from './fields.ts';
import { role } from './roles.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';
import { warnings } from './warnings.ts';

const MEMBERS_PATH = `${SITE_PATH}/members` as const;

export const INVITATION_DAYS = 7;

export const member = z
  .object({
    id: id.describe("The account's."),
    username: z.string(),
    email: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    role,
    since: timestamp,
  })
  .meta({ id: 'Member' });

export const invitation = z
  .object({
    id,
    email: z.string(),
    role,
    invited_by: z.string().describe('A user name.'),
    sent_at: timestamp,
    expires_at: timestamp,
    warnings,
  })
  .meta({ id: 'Invitation' });

export type Member = z.infer<typeof member>;
export type Invitation = z.infer<typeof invitation>;

const memberships = z.object({
  results: z.array(member).describe('Owners first.'),
  next: z.null(),
  invitations: z.array(invitation).describe('Not accepted yet, also those that have expired.'),
});

export const listMembers = defineRoute({
  method: 'GET',
  path: MEMBERS_PATH,
  access: 'site',
  scopes: [],
  tag: 'Members',
  summary: 'List who belongs to the organization, and who is invited',
  description: 'Members belong to the organization with all its sites.',
  params: siteParams,
  status: 200,
  response: memberships,
});

export const inviteMember = defineRoute({
  method: 'POST',
  path: MEMBERS_PATH,
  access: 'site',
  needs: 'admin',
  tag: 'Members',
  summary: 'Invite somebody by mail',
  description: `The link in the mail is good once, for ${INVITATION_DAYS} days. Nobody gives a role above their own.`,
  params: siteParams,
  body: z.strictObject({ email, role }),
  status: 201,
  response: invitation,
  errors: ['already_invited', 'limit_reached', 'rate_limited', 'unavailable'],
});

export const resendInvitation = defineRoute({
  method: 'POST',
  path: `${MEMBERS_PATH}/invitations/{id}/resend`,
  access: 'site',
  needs: 'admin',
  tag: 'Members',
  summary: 'Mail an invitation again, with a new link',
  description: 'The link before it ends.',
  params: siteItemParams,
  status: 200,
  response: invitation,
  errors: ['rate_limited', 'unavailable'],
});

export const withdrawInvitation = defineRoute({
  method: 'DELETE',
  path: `${MEMBERS_PATH}/invitations/{id}`,
  access: 'site',
  needs: 'admin',
  tag: 'Members',
  summary: 'Withdraw an invitation',
  params: siteItemParams,
  status: 204,
  response: z.null(),
});

export const changeMember = defineRoute({
  method: 'PATCH',
  path: `${MEMBERS_PATH}/{id}`,
  access: 'site',
  needs: 'admin',
  tag: 'Members',
  summary: 'Give a member another role',
  description:
    'Nobody gives a role above their own, or changes somebody who has one. There is always an owner.',
  params: siteItemParams,
  body: z.strictObject({ role }),
  status: 200,
  response: member,
  errors: ['last_owner'],
});

export const removeMember = defineRoute({
  method: 'DELETE',
  path: `${MEMBERS_PATH}/{id}`,
  access: 'site',
  needs: 'admin',
  tag: 'Members',
  summary: 'Remove a member from the organization',
  description:
    'Takes effect with their next call. Invitations that they sent end; API keys that they made keep working until they are revoked.',
  params: siteItemParams,
  status: 204,
  response: z.null(),
  errors: ['last_owner'],
});

export const leaveOrganization = defineRoute({
  method: 'DELETE',
  path: `${MEMBERS_PATH}/me`,
  access: 'site',
  needs: 'viewer',
  scopes: [],
  tag: 'Members',
  summary: 'Leave the organization',
  description: 'The only owner cannot leave.',
  params: siteParams,
  status: 204,
  response: z.null(),
  errors: ['last_owner'],
});

const token = z.string().min(1).max(200);

export const offer = z
  .object({
    organization_name: z.string(),
    invited_by: z.string().describe('A user name.'),
    email: z.string(),
    role,
    expires_at: timestamp,
    has_account: z.boolean().describe('Is there an account with this address?'),
  })
  .meta({ id: 'Offer' });

export type Offer = z.infer<typeof offer>;

export const readInvitation = defineRoute({
  method: 'POST',
  path: '/core/v1/invitations/read',
  access: 'anyone',
  tag: 'Members',
  summary: 'Look at the invitation behind a mailed link',
  description: 'Changes nothing; a POST, so that the token stands in no address.',
  body: z.strictObject({ token }),
  status: 200,
  response: offer,
  errors: ['link_used', 'rate_limited'],
});

export const acceptInvitation = defineRoute({
  method: 'POST',
  path: '/core/v1/invitations/accept',
  access: 'user',
  tag: 'Members',
  summary: 'Accept the invitation behind a mailed link',
  description:
    "The account gets the organization, and needs no survey. An account that belongs to another organization is refused and keeps it. With an account of another address than the invited one, `as` has to name the account's own address.",
  body: z.strictObject({ token, as: email.optional() }),
  status: 200,
  response: z.object({ organization_id: id, role }),
  errors: ['link_used', 'other_address', 'has_organization', 'rate_limited'],
});
