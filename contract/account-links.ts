import { z } from 'zod';
import { account } from './accounts.ts';
import { email, id } from './fields.ts';
import { defineRoute } from './route.ts';

export const ACCOUNT_LINK_KINDS = [
  'change_email',
  'restore_email',
  'link_google',
  'receive_evidence',
  'stop_evidence',
  'receive_records',
  'stop_records',
] as const;
export type AccountLinkKind = (typeof ACCOUNT_LINK_KINDS)[number];
/** The others say all that they mean themselves. */
export type StoredLinkKind = Exclude<AccountLinkKind, 'stop_evidence' | 'stop_records'>;

const token = z.string().min(1).max(200);

export const changeEmail = defineRoute({
  method: 'POST',
  path: '/core/v1/users/{id}/email',
  access: 'user',
  tag: 'Accounts',
  summary: 'Change your account email',
  description:
    'Emails a link to the new address. The account keeps its current email until that link is confirmed, within an hour. Requires the current password. An account without one needs a session that started in the last 10 minutes (403 `reauthentication_required`).',
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
  summary: 'Cancel an unconfirmed email change',
  params: z.object({ id }),
  status: 200,
  response: account,
});

const link = z
  .object({
    kind: z.enum(ACCOUNT_LINK_KINDS),
    email: z
      .string()
      .describe(
        "By `kind`: the new email, the restored email, the Google account's email, or the mailbox for evidence.",
      ),
    site_name: z.string().nullable().describe('Whose evidence it is. null: the link is about an account.'),
  })
  .meta({ id: 'AccountLink' });

export const readAccountLink = defineRoute({
  method: 'POST',
  path: '/core/v1/users/links/read',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Read what an emailed link would do',
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
  summary: 'Use an emailed link',
  description:
    'Works once. `change_email`: the account gets the new email, and the previous one gets a link to undo this within 3 days. `restore_email`: restores the previous email, removes the password and the Google link, and ends all sessions. `reset_token` then sets a new password. `link_google`: you can log in with the Google account from now on. The old password stops working, and all sessions end. `receive_evidence`: the mailbox agrees to get the signed heads of one site each night. `stop_evidence`: it gets no more of them; this link works as often as the mailbox has agreed. `receive_records`: the mailbox agrees to get the evidence of single choices that actions of one site email to it, and deliveries that wait for it are sent. `stop_records`: it gets no more of it.',
  body: z.strictObject({ token }),
  status: 200,
  response: link.extend({ reset_token: z.string().nullable() }),
  errors: ['link_used', 'email_taken', 'other_google_account', 'rate_limited'],
});
