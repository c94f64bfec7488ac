import { z } from 'zod';
import { account } from './accounts.ts';
import { collection, id, lookup, timestamp } from './fields.ts';
import { IMAGE_TYPES, MAX_IMAGE_BYTES } from './images.ts';
import { defineRoute } from './route.ts';
import { secondFactors } from './second-factors.ts';

export const BROWSERS = ['chrome', 'edge', 'firefox', 'opera', 'safari', 'samsung'] as const;
export type Browser = (typeof BROWSERS)[number];

export const SYSTEMS = ['android', 'chromeos', 'ios', 'linux', 'macos', 'windows'] as const;
export type System = (typeof SYSTEMS)[number];

const device = {
  browser: z.enum(BROWSERS).nullable().describe('null: unknown, or not a browser.'),
  system: z.enum(SYSTEMS).nullable(),
};

export const session = z
  .object({
    id,
    is_current: z.boolean().describe('The session that made this call.'),
    started_at: timestamp,
    last_used_at: timestamp.describe('When it was last renewed. Happens every 10 minutes while in use.'),
    ...device,
  })
  .meta({ id: 'Session' });

export type Session = z.infer<typeof session>;

const accountParams = z.object({ id });

export const listSessions = defineRoute({
  method: 'GET',
  path: '/core/v1/users/{id}/sessions',
  access: 'user',
  tag: 'Accounts',
  summary: 'List your sessions, last used first',
  params: accountParams,
  status: 200,
  response: collection(session),
});

export const endSession = defineRoute({
  method: 'DELETE',
  path: '/core/v1/users/{id}/sessions/{session_id}',
  access: 'user',
  tag: 'Accounts',
  summary: 'End a session',
  params: accountParams.extend({ session_id: id }),
  status: 204,
  response: z.null(),
});

export const endOtherSessions = defineRoute({
  method: 'DELETE',
  path: '/core/v1/users/{id}/sessions',
  access: 'user',
  tag: 'Accounts',
  summary: 'End all other sessions',
  params: accountParams,
  status: 204,
  response: z.null(),
});

export const uploadAvatar = defineRoute({
  method: 'POST',
  path: '/core/v1/users/{id}/avatar',
  access: 'user',
  tag: 'Accounts',
  summary: 'Upload your image',
  description:
    'The body is the file itself: PNG, JPEG, WebP, GIF (first frame), AVIF or SVG, at most 2 MB. We redraw it as a square of 192 pixels, which removes all metadata.',
  params: accountParams,
  file: { types: IMAGE_TYPES, maxBytes: MAX_IMAGE_BYTES },
  status: 201,
  response: account,
  errors: ['invalid_field', 'rate_limited', 'unavailable'],
});

export const removeAvatar = defineRoute({
  method: 'DELETE',
  path: '/core/v1/users/{id}/avatar',
  access: 'user',
  tag: 'Accounts',
  summary: 'Remove your image',
  params: accountParams,
  status: 200,
  response: account,
});

export const accountExport = z
  .object({
    exported_at: timestamp,
    account: account.extend({ created_at: timestamp }),
    organizations: z.array(
      z.object({
        id,
        name: z.string(),
        role: z.string(),
        member_since: timestamp,
        created_at: timestamp,
        subscription: z.string().nullable(),
        valid_until: timestamp.nullable(),
        sites: z.array(
          z.object({
            id,
            name: z.string(),
            domain_name: z.string(),
            custom_domain: z.string().nullable(),
          }),
        ),
      }),
    ),
    surveys: z.array(z.object({ version: z.number().int(), data: z.unknown(), answered_at: timestamp })),
    sessions: z.array(z.object({ started_at: timestamp, last_used_at: timestamp, ...device })),
    second_factors: secondFactors,
  })
  .meta({ id: 'AccountExport' });

export type AccountExport = z.infer<typeof accountExport>;

export const exportAccount = defineRoute({
  method: 'GET',
  path: '/core/v1/users/{id}/export',
  access: 'user',
  tag: 'Accounts',
  summary: 'Export your account data',
  description:
    'Everything we store about your account, without secrets. Customers and evidence belong to sites and are exported there. The image is at its own URL.',
  params: accountParams,
  status: 200,
  response: accountExport,
});

export const ORGANIZATION_FATES = ['deleted', 'kept', 'in_the_way'] as const;

export const deletionPlan = z
  .object({
    organizations: z.array(
      z.object({
        id,
        name: z.string(),
        fate: z
          .enum(ORGANIZATION_FATES)
          .describe(
            '`deleted`: you are its only member. `kept`: it has other owners. `in_the_way`: it has other members, and you are its only owner.',
          ),
        sites: z.array(z.object({ id, name: z.string(), domain_name: z.string() })),
      }),
    ),
  })
  .meta({ id: 'AccountDeletionPlan' });

export type DeletionPlan = z.infer<typeof deletionPlan>;

export const planDeletion = defineRoute({
  method: 'GET',
  path: '/core/v1/users/{id}/deletion',
  access: 'user',
  tag: 'Accounts',
  summary: 'Preview the deletion of your account',
  params: accountParams,
  status: 200,
  response: deletionPlan,
});

export const deleteAccount = defineRoute({
  method: 'POST',
  path: '/core/v1/users/{id}/deletion',
  access: 'user',
  tag: 'Accounts',
  summary: 'Delete your account',
  description:
    'Ends all your sessions. Organizations with no other member are deleted too: their sites go offline immediately, and all their data is deleted. Their host names stay reserved for 30 days. Answers 409 (`conflict`, with the names in `data.organizations`) while you are the only owner of an organization that has other members.',
  params: accountParams,
  body: z.strictObject({
    username: lookup(60).describe('Your username, as confirmation.'),
    password: z
      .string()
      .max(200)
      .optional()
      .describe('Required if the account has a password (`has_usable_password`).'),
  }),
  status: 204,
  response: z.null(),
  errors: ['conflict', 'invalid_field', 'rate_limited', 'reauthentication_required'],
});
