import { z } from 'zod';
import { account } from './accounts.ts';
import { email, id } from './fields.ts';
import { defineRoute } from './route.ts';

export const ACCOUNT_LINK_KINDS = ['change_email', 'restore_email', 'link_google'] as const;
export type AccountLinkKind = (typeof ACCOUNT_LINK_KINDS)[number];

const token = z.string().min(1).max(200);

export const changeEmail = defineRoute({
  method: 'POST',
  path: '/core/v1/users/{id}/email',
  access: 'user',
  tag: 'Accounts',
  summary: 'Ask for another email for your account',
  description:
    'Mails a link to the new address; the account keeps its present one until that link is confirmed, within an hour. Takes the current password; an account without one takes a session that began in the last ten minutes instead (403 `reauthentication_required`).',
  params: z.object({ id }),
  body: z.strictObject({ email, current_password: z.string().max(200).optional() }),
  status: 202,
  response: account,
  errors: ['email_taken', 'invalid_field', 'reauthentication_required', 'rate_limited', 'unavailable'],
});

export const cancelEmailChange = defineRoute({
  method: 'DELETE',
  path: '/core/v1/users/{id}/email',
  access: 'user',
  tag: 'Accounts',
  summary: 'Withdraw a change of email that is not confirmed yet',
  params: z.object({ id }),
  status: 200,
  response: account,
});

const link = z
  .object({
    kind: z.enum(ACCOUNT_LINK_KINDS),
    email: z
      .string()
      .describe('The new address, the one that comes back, or the one of the Google account, by `kind`.'),
  })
  .meta({ id: 'AccountLink' });

export const readAccountLink = defineRoute({
  method: 'POST',
  path: '/core/v1/users/links/read',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'What the link of a mail would do; changes nothing',
  body: z.strictObject({ token }),
  status: 200,
  response: link,
  errors: ['link_used', 'rate_limited'],
});

export const confirmAccountLink = defineRoute({
  method: 'POST',
  path: '/core/v1/users/links/confirm',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Do what the link of a mail is for, once',
  description:
    '`change_email`: the account gets the new address, and the former one is told, with a link to take it back within 3 days. `restore_email`: the former address comes back, the password, the link with Google and every session end, and `reset_token` sets a new password. `link_google`: the Google account opens the account from now on; its password, which was not proved, and its sessions end.',
  body: z.strictObject({ token }),
  status: 200,
  response: link.extend({ reset_token: z.string().nullable() }),
  errors: ['link_used', 'email_taken', 'other_google_account', 'rate_limited'],
});
