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
    invited_by: z.string().describe('A username.'),
    invited_by_name: z.string().describe('First and last name; the username if the account has none.'),
    sent_at: timestamp,
    expires_at: timestamp,
    warnings,
  })
  .meta({ id: 'Invitation' });

export const sentInvitation = invitation
  .extend({
    link: z
      .string()
      .nullable()
      .describe(
        'The link for the invited person, if this server has no mail server; else null: it is only in the email.',
      ),
  })
  .meta({ id: 'SentInvitation' });

export type Member = z.infer<typeof member>;
export type Invitation = z.infer<typeof invitation>;
export type SentInvitation = z.infer<typeof sentInvitation>;

const memberships = z.object({
  results: z.array(member).describe('Owners first.'),
  next: z.null(),
  invitations: z.array(invitation).describe('Not accepted yet, including expired ones.'),
});

export const listMembers = defineRoute({
  method: 'GET',
  path: MEMBERS_PATH,
  access: 'site',
  scopes: [],
  tag: 'Members',
  summary: 'List the members and invitations of an organization',
  description: 'Members have access to all sites of the organization.',
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
  summary: 'Invite a member by email',
  description: `The link works once, within ${INVITATION_DAYS} days. We email it. Without a mail server, the answer has it as \`link\`, this one time. You can't give a role above your own.`,
  params: siteParams,
  body: z.strictObject({ email, role }),
  status: 201,
  response: sentInvitation,
  errors: ['already_invited', 'limit_reached', 'rate_limited', 'unavailable'],
});

export const resendInvitation = defineRoute({
  method: 'POST',
  path: `${MEMBERS_PATH}/invitations/{id}/resend`,
  access: 'site',
  needs: 'admin',
  tag: 'Members',
  summary: 'Send an invitation again, with a new link',
  description: 'The previous link stops working.',
  params: siteItemParams,
  status: 200,
  response: sentInvitation,
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
  summary: "Change a member's role",
  description:
    "You can't give a role above your own or change a member whose role is above yours. An organization always has an owner.",
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
    'Takes effect with their next call. Invitations they sent end, and so do the API keys they created on any site of the organization, unless you keep them.',
  params: siteItemParams,
  query: z.strictObject({
    api_keys: z
      .enum(['revoke', 'keep'])
      .default('revoke')
      .describe('What happens to the API keys they created.'),
  }),
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
  description: "The only owner can't leave.",
  params: siteParams,
  status: 204,
  response: z.null(),
  errors: ['last_owner'],
});

const token = z.string().min(1).max(200);

export const offer = z
  .object({
    organization_name: z.string(),
    invited_by: z.string().describe('A username.'),
    invited_by_name: z.string().describe('First and last name; the username if the account has none.'),
    email: z.string(),
    role,
    expires_at: timestamp,
    has_account: z.boolean().describe('Whether an account uses this email.'),
  })
  .meta({ id: 'Offer' });

export type Offer = z.infer<typeof offer>;

export const readInvitation = defineRoute({
  method: 'POST',
  path: '/core/v1/invitations/read',
  access: 'anyone',
  tag: 'Members',
  summary: 'Read the invitation of an emailed link',
  description: "Changes nothing. It's a POST so that no URL contains the token.",
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
  summary: 'Accept the invitation of an emailed link',
  description:
    "The account joins the organization and skips the survey. Accounts that already belong to an organization are rejected. If the account's email isn't the invited one, send it as `as`.",
  body: z.strictObject({ token, as: email.optional() }),
  status: 200,
  response: z.object({ organization_id: id, role }),
  errors: ['link_used', 'other_address', 'has_organization', 'rate_limited'],
});
