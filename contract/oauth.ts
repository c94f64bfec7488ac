import { z } from 'zod';
import { id, line, lookup } from './fields.ts';
import { credentials, integration } from './integrations.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

export const startOAuth = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/integrations/oauth`,
  access: 'site',
  needs: 'admin',
  tag: 'Integrations',
  summary: 'Start connecting a tool by logging in there',
  description:
    'Send the owner to `authorize_url`. The tool sends them back to `/integrations/connected` in the app, with `code` and `state` (or `error`) for `POST /core/v1/integrations/oauth/finish`. Must be finished within 10 minutes by the same account.',
  params: siteParams,
  body: z.strictObject({
    provider: line(40),
    name: line(100).optional(),
    integration_id: id.optional().describe('Reconnects this integration. Its actions stay.'),
    other_account: z
      .literal(true)
      .optional()
      .describe('It may be reconnected to another account, see `PATCH …/integrations/{id}`.'),
    credentials: credentials.optional().describe("Only those in the connector's `oauth_takes`."),
    redirect: lookup(500)
      .regex(/^\/(?![/\\])/, { error: 'must be a path in the app, like /actions' })
      .optional()
      .describe('Returned at the end: where the app continues.'),
  }),
  status: 200,
  response: z.object({ authorize_url: z.string() }),
});

export const finishOAuth = defineRoute({
  method: 'POST',
  path: '/core/v1/integrations/oauth/finish',
  access: 'user',
  needs: 'admin',
  tag: 'Integrations',
  summary: 'Finish connecting a tool by logging in there',
  description:
    'Works once, for the account that started it, while it has access to the site. We check the connection right away and store nothing if it fails.',
  body: z.strictObject({
    state: z.string().min(1).max(4000),
    code: z.string().min(1).max(4000).optional(),
    error: z.string().max(200).optional().describe('Instead of `code`.'),
  }),
  status: 200,
  response: z.object({ integration, redirect: z.string().nullable() }),
  errors: [
    'credentials_refused',
    'limit_reached',
    'link_used',
    'not_found',
    'other_tool_account',
    'unavailable',
  ],
});
