import { z } from 'zod';
import { email, httpUrl, id, line, lookup } from './fields.ts';
import { role } from './roles.ts';
import { defineRoute } from './route.ts';

/** The spec's literal for an account that has no organization yet. */
export const NO_ORGANIZATION = 'None';

export const password = z
  .string()
  .min(10, { error: 'must be at least 10 characters long' })
  .max(200, { error: 'must be at most 200 characters long' });

const username = line(60).refine((value) => !value.includes('@'), { error: 'must not contain @' });

export const account = z
  .object({
    id,
    username: z.string(),
    email: z.string(),
    organization: z
      .string()
      .describe("The organization's id, or the literal `None` until the survey is done."),
    role: role.nullable().describe("The account's role in the organization."),
    avatar: z.string().nullable(),
    first_name: z.string(),
    last_name: z.string(),
    has_usable_password: z.boolean(),
    pending_email: z
      .string()
      .nullable()
      .describe('The new email, until its link is confirmed; null: no change is pending.'),
    google_email: z.string().nullable().describe('Email of the linked Google account; null: none.'),
    permissions: z.array(z.string()),
    groups: z.array(z.string()).describe('The first group is the plan.'),
    attrs: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Account' });

export const tokens = z
  .object({
    user_id: id,
    organization_id: z.string().describe('The id, or `None`.'),
    access_token: z.string().describe('JWT, valid for 10 minutes.'),
    refresh_token: z.string().describe('Opaque, valid once.'),
  })
  .meta({ id: 'Tokens' });

export type Account = z.infer<typeof account>;
export type Tokens = z.infer<typeof tokens>;

export const signUp = defineRoute({
  method: 'POST',
  path: '/core/v1/users',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Create an account',
  body: z.strictObject({
    username,
    email,
    password,
    first_name: line(60, 0).optional(),
    last_name: line(60, 0).optional(),
  }),
  status: 201,
  response: account.extend(tokens.shape),
  errors: ['username_taken', 'email_taken', 'common_password', 'password_is_name'],
});

export const getAccount = defineRoute({
  method: 'GET',
  path: '/core/v1/users/{id}',
  access: 'user',
  duringSetUp: true,
  tag: 'Accounts',
  summary: 'Read your account',
  params: z.object({ id }),
  status: 200,
  response: account,
});

export const updateAccount = defineRoute({
  method: 'PATCH',
  path: '/core/v1/users/{id}',
  access: 'user',
  duringSetUp: true,
  tag: 'Accounts',
  summary: 'Change your account',
  description:
    '`organization` can only be one that you created and still belong to. Groups, permissions and plan are not writable.',
  params: z.object({ id }),
  body: z.strictObject({
    username: username.optional(),
    first_name: line(60, 0).optional(),
    last_name: line(60, 0).optional(),
    avatar: httpUrl.nullable().optional(),
    organization: id.optional(),
    attrs: z
      .strictObject({
        language: lookup(10).optional(),
        theme: z.enum(['light', 'dark', 'system']).optional(),
      })
      .optional(),
  }),
  status: 200,
  response: account,
  errors: ['username_taken'],
});

export const updateAccountWithoutId = defineRoute({
  method: 'PATCH',
  path: '/core/v1/users',
  access: 'user',
  tag: 'Accounts',
  summary: 'Change an account without its ID',
  description: 'Always answers 400 `no_id`. Use `PATCH /core/v1/users/{id}`.',
  isHidden: true,
  status: 200,
  response: account,
  errors: ['no_id'],
});

export const logIn = defineRoute({
  method: 'POST',
  path: '/core/v1/users/token',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Log in with a username or email, and a password',
  description:
    'An account with a second factor answers 403 `second_factor_required`, with a `ticket` in `data`. Send it with the second factor to `POST /core/v1/users/token/second-factor`.',
  body: z.strictObject({ username: lookup(254), password: z.string().min(1).max(200) }),
  status: 200,
  response: tokens,
  errors: ['invalid_credentials', 'second_factor_required'],
});

export const logInWithGoogle = defineRoute({
  method: 'POST',
  path: '/core/v1/users/google',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Log in or sign up with a Google authorization code',
  description:
    "We identify Google accounts by their subject, not by their email. If an account with this email isn't linked yet, this answers 409 `link_required` with `data` `{link_token, email, has_password}`. Link them with the password, or with a link sent by email. A second Google account with the same email gets 409 `other_google_account`.",
  body: z.strictObject({ code: z.string().min(1).max(2048) }),
  status: 200,
  response: tokens,
  errors: [
    'invalid_credentials',
    'second_factor_required',
    'link_required',
    'other_google_account',
    'not_found',
    'unavailable',
  ],
});

export const refreshTokens = defineRoute({
  method: 'POST',
  path: '/core/v1/users/token/refresh',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Refresh a session',
  description:
    'A refresh token works once. Using it again within 10 seconds (two tabs) returns a sibling token. Using it later revokes the whole token family.',
  body: z.strictObject({ refresh_token: z.string().min(1).max(200) }),
  status: 200,
  response: tokens,
  errors: ['token_not_valid'],
});

export const logOut = defineRoute({
  method: 'POST',
  path: '/core/v1/users/token/revoke',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Sign out',
  body: z.strictObject({ refresh_token: z.string().min(1).max(200) }),
  status: 204,
  response: z.null(),
});

export const resetPassword = defineRoute({
  method: 'PATCH',
  path: '/core/v1/user/reset-password',
  access: 'anyone',
  tag: 'Accounts',
  summary: 'Reset or change a password',
  description:
    'With `email`: emails a link that works once, within 30 minutes (same answer for unknown emails). With `token` and `password`: sets the password. With `current_password`, `password` and a bearer token: changes the password. Setting or changing it ends all sessions and notifies the account by email.',
  body: z.union([
    z.strictObject({ email }),
    z.strictObject({ token: z.string().min(1).max(200), password }),
    z.strictObject({ current_password: z.string().max(200), password }),
  ]),
  status: 200,
  response: z.object({ message: z.string() }),
  errors: ['link_used', 'invalid_credentials', 'token_not_valid', 'common_password', 'password_is_name'],
});
