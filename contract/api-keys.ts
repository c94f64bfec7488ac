import { z } from 'zod';
import { collection, id, line, timestamp } from './fields.ts';
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
      .describe(
        'The name of who made it, as it was then when the account is gone; null when it was never kept.',
      ),
    created_by_email: z.string().nullable().describe('Likewise their address.'),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    last_changed_at: timestamp
      .nullable()
      .describe(
        'When a call with it last changed something, to the hour. Calls that only read leave no trace.',
      ),
  })
  .meta({ id: 'ApiKey' });

export type ApiKey = z.infer<typeof apiKey>;

export const newApiKey = apiKey
  .extend({ key: z.string().describe(`Begins with \`${KEY_PREFIX}\`. Shown this once.`) })
  .meta({ id: 'NewApiKey' });

export type NewApiKey = z.infer<typeof newApiKey>;

export const listApiKeys = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/api-keys`,
  access: 'site',
  needs: 'admin',
  tag: 'API keys',
  summary: 'List the API keys of a site',
  description: 'Those that were not revoked. The keys themselves are kept nowhere.',
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
  summary: 'Make an API key',
  description:
    'It opens this site alone, for the routes of its scopes; each route says which it takes. Send it as `Authorization: Bearer sk_...`. No key reaches members, keys, credentials, exports, settings or accounts.',
  params: siteParams,
  body: z.strictObject({
    name: line(100),
    scopes: z
      .array(keyScope)
      .min(1, { error: 'must name at least one scope' })
      .refine((scopes) => new Set(scopes).size === scopes.length, {
        error: 'must name each scope once',
      }),
    expires_at: timestamp.nullable().optional().describe('Default: never.'),
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
  description: 'From then on every call with it is refused.',
  params: siteItemParams,
  status: 204,
  response: z.null(),
});
