import { z } from 'zod';
import { collection, givenTimestamp, id, line, timestamp } from './fields.ts';
import { KEY_PREFIX, keyScope } from './roles.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

export const apiKey = z
  .object({
    id,
    name: z.string(),
    scopes: z.array(keyScope),
    created_by: z
      .string()
      .nullable()
      .describe("The creator's name, or their name at the time if the account is gone; null: not recorded."),
    created_by_email: z.string().nullable().describe("The creator's email, likewise."),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    last_changed_at: timestamp
      .nullable()
      .describe('When a call with it last changed something, to the hour.'),
    last_used_at: timestamp
      .nullable()
      .describe('When a call with it was last made, to the hour. Shown some minutes later.'),
  })
  .meta({ id: 'ApiKey' });

export type ApiKey = z.infer<typeof apiKey>;

export const newApiKey = apiKey
  .extend({ key: z.string().describe(`Starts with \`${KEY_PREFIX}\`. Shown only once.`) })
  .meta({ id: 'NewApiKey' });

export type NewApiKey = z.infer<typeof newApiKey>;

export const listApiKeys = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/api-keys`,
  access: 'site',
  needs: 'admin',
  tag: 'API keys',
  summary: 'List the API keys of a site',
  description: "Without revoked keys. We don't store the keys themselves.",
  params: siteParams,
  status: 200,
  response: collection(apiKey),
});

export const createApiKey = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/api-keys`,
  access: 'site',
  needs: 'admin',
  tag: 'API keys',
  summary: 'Create an API key',
  description:
    "It works for this site only, on the routes its scopes allow. Each route lists its scopes. Send it as `Authorization: Bearer sk_...`. API keys can't reach members, keys, credentials, exports, settings or accounts.",
  params: siteParams,
  body: z.strictObject({
    name: line(100),
    scopes: z
      .array(keyScope)
      .min(1, { error: 'must name at least one scope' })
      .refine((scopes) => new Set(scopes).size === scopes.length, {
        error: 'must name each scope once',
      }),
    expires_at: givenTimestamp.nullable().optional().describe('Default: never.'),
  }),
  status: 201,
  response: newApiKey,
  errors: ['limit_reached'],
});

export const revokeApiKey = defineRoute({
  method: 'DELETE',
  path: `${SITE_PATH}/api-keys/{id}`,
  access: 'site',
  needs: 'admin',
  tag: 'API keys',
  summary: 'Revoke an API key',
  description: 'Calls with it are rejected from then on.',
  params: siteItemParams,
  status: 204,
  response: z.null(),
});
