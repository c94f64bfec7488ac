import { z } from 'zod';
import { account, tokens } from './accounts.ts';
import { id } from './fields.ts';
import { defineRoute } from './route.ts';

const linkToken = z.string().min(1).max(2000).describe('`data.link_token` of 409 `link_required`.');

export const linkGoogle = defineRoute({
  method: 'POST',
  path: '/core/v1/users/google/link',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Link a Google account by the password of the account, and log in',
  body: z.strictObject({ link_token: linkToken, password: z.string().min(1).max(200) }),
  status: 200,
  response: tokens,
  errors: [
    'invalid_credentials',
    'second_factor_required',
    'link_used',
    'other_google_account',
    'rate_limited',
  ],
});

export const mailGoogleLink = defineRoute({
  method: 'POST',
  path: '/core/v1/users/google/link-mail',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Mail a link that links a Google account, to the mailbox of the account',
  body: z.strictObject({ link_token: linkToken }),
  status: 202,
  response: z.object({ email: z.string() }),
  errors: ['link_used', 'other_google_account', 'rate_limited', 'unavailable'],
});

export const unlinkGoogle = defineRoute({
  method: 'DELETE',
  path: '/core/v1/users/{id}/google',
  access: 'user',
  tag: 'Accounts',
  summary: 'Unlink Google from your account; it needs a password of its own before (409 `password_required`)',
  params: z.object({ id }),
  status: 200,
  response: account,
  errors: ['password_required'],
});

export const startSignIn = defineRoute({
  method: 'POST',
  path: '/core/v1/users/google/authorization',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Where to send the browser to sign in by redirect',
  description:
    'With `state`, `nonce` and PKCE. Keep `flow` in that browser: it is needed, once, when the issuer sends it back, within ten minutes.',
  body: z.strictObject({}),
  status: 200,
  response: z.object({ url: z.string(), flow: z.string() }),
  errors: ['not_found', 'unavailable'],
});

export const finishSignIn = defineRoute({
  method: 'POST',
  path: '/core/v1/users/google/callback',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Log in or sign up with what the issuer sent the browser back with',
  body: z.strictObject({
    code: z.string().min(1).max(2048),
    state: z.string().min(1).max(200),
    iss: z.string().max(2048).optional(),
    flow: z.string().min(1).max(2000),
  }),
  status: 200,
  response: tokens,
  errors: [
    'invalid_credentials',
    'second_factor_required',
    'link_required',
    'other_google_account',
    'not_found',
    'rate_limited',
    'unavailable',
  ],
});
