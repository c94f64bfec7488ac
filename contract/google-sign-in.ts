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
  summary: "Link a Google account with the account's password, and log in",
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
  summary: 'Email a link that links a Google account',
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
  summary: 'Unlink Google from your account; needs a password first (409 `password_required`)',
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
  summary: 'Start Google sign-in by redirect',
  description:
    'Returns the URL to send the browser to, with `state`, `nonce` and PKCE. Store `flow` in that browser: you need it once, within 10 minutes, when the issuer redirects back.',
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
  summary: 'Finish Google sign-in by redirect',
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
