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
  summary: 'Begin to connect a tool by logging in there',
  description:
    'Send the owner to `authorize_url`. The tool sends them back to `/integrations/connected` of the app, with `code` and `state` (or `error`) for `finishOAuth`; within ten minutes, and by the same account.',
  params: siteParams,
  body: z.strictObject({
    provider: line(40),
    name: line(100).optional(),
    integration_id: id.optional().describe('Connects this one anew; its actions stay.'),
    credentials: credentials.optional().describe('Of those in `oauth_takes` of the connector.'),
    redirect: lookup(500)
      .regex(/^\/(?![/\\])/, { error: 'must be a path of the app, like /actions' })
      .optional()
      .describe('Given back in the end: where the app goes on.'),
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
  summary: 'Finish connecting a tool, with what it sent the owner back with',
  description:
    'Only for the account that began, once, and while it may see the site. The tool is asked at once whether it answers; nothing is kept if it does not.',
  body: z.strictObject({
    state: z.string().min(1).max(4000),
    code: z.string().min(1).max(4000).optional(),
    error: z.string().max(200).optional().describe('In place of `code`.'),
  }),
  status: 200,
  response: z.object({ integration, redirect: z.string().nullable() }),
  errors: ['credentials_refused', 'limit_reached', 'link_used', 'not_found', 'unavailable'],
});
