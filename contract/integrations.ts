import { z } from 'zod';
import { ACTION_TYPES, isTargeted, TOOL_ACTION_TYPES, TOOL_ACTIONS, type ToolTarget } from './actions.ts';
import { collection, id, line, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

/** What owners choose from, for actions and for what keeps their links. */
export const TOOL_RESOURCE_KINDS: readonly [...ToolTarget[], 'fields'] = [
  ...TOOL_ACTION_TYPES.filter(isTargeted).map((type) => TOOL_ACTIONS[type].target),
  'fields',
];

const capability = z.discriminatedUnion('can', [
  z.object({
    can: z.literal(true),
    operations: z.array(z.string()).describe('Forward, and the way back where the tool has one.'),
    target: z.enum(TOOL_RESOURCE_KINDS).nullable().describe('What the action is about; null: nothing.'),
    irreversible: z.string().nullable().describe('What cannot be taken back in the tool.'),
    note: z.string().nullable(),
  }),
  z.object({ can: z.literal(false), reason: z.string() }),
]);

/** An email tool that can be connected. */
export const connector = z
  .object({
    id: z.string(),
    name: z.string(),
    logo: z
      .object({
        colour: z.string().describe('As #RRGGBB.'),
        path: z.string().describe('Of an SVG with the viewBox 0 0 24 24.'),
      })
      .nullable()
      .describe('A mark by which the tool is recognised.'),
    credentials: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        help: z.string(),
        secret: z.boolean(),
        example: z.string(),
      }),
    ),
    oauth: z.boolean().describe('Can be connected here by logging in at the tool, without credentials.'),
    oauth_takes: z
      .array(z.string())
      .describe('Names of credentials that may be given along with it, where a login alone does not decide.'),
    actions: z.record(z.enum(ACTION_TYPES), capability),
    limits: z.array(z.object({ requests: z.number().int(), per_seconds: z.number() })),
    tells_us: z.enum(['webhook', 'poll']).describe('How the tool tells what people do there.'),
    webhook_secret: z
      .enum(['needed', 'optional', 'none'])
      .describe(
        'Whether its webhooks are proven by a secret that is entered here. needed: without it they are refused.',
      ),
    imports: z
      .array(z.enum(['lists', 'tags']))
      .describe('Of what its people can be read by an import; empty: of nothing.'),
    email_merge_tag: z.string().describe('Stands for the address in a mail of the tool.'),
  })
  .meta({ id: 'Connector' });

/** connected: it worked last. credentials_refused: an owner has to enter new ones. switched_off: failed for days. */
export const INTEGRATION_STATUSES = ['connected', 'credentials_refused', 'switched_off'] as const;

/** A custom field of the tool. */
export const toolField = z.object({ id: z.string(), name: z.string() });

export const integration = z
  .object({
    id,
    provider: z.string().describe('The id of its connector.'),
    name: z.string(),
    account_name: z.string().describe('What the tool calls the account.'),
    connected_by: z.enum(['credentials', 'oauth']),
    status: z.enum(INTEGRATION_STATUSES),
    status_reason: z.string().nullable(),
    failing_since: timestamp.nullable(),
    rests_until: timestamp
      .nullable()
      .describe(
        'It did not answer several times in a row: until then nobody calls it, then one delivery tries.',
      ),
    webhook_url: z
      .string()
      .nullable()
      .describe(
        'Where the tool tells what people do there; null for tools that are asked instead, and for viewers: the address is a secret.',
      ),
    webhook_setup: z.string().nullable().describe('What is to be done with it in the tool.'),
    has_webhook_secret: z.boolean(),
    link_field: toolField
      .nullable()
      .describe('The custom field that keeps the personal link of each customer; null: none does.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Integration' });

export type ConnectorInfo = z.infer<typeof connector>;
export type Integration = z.infer<typeof integration>;
export type IntegrationStatus = (typeof INTEGRATION_STATUSES)[number];

export const credentials = z
  .record(z.string().max(60), z.string().trim().min(1).max(2000))
  .describe('By the names of the connector; never shown again.');

export const listConnectors = defineRoute({
  method: 'GET',
  path: '/core/v1/connectors',
  access: 'user',
  tag: 'Integrations',
  summary: 'The email tools that can be connected, and what each can do',
  status: 200,
  response: collection(connector),
});

export const listIntegrations = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/integrations`,
  access: 'site',
  tag: 'Integrations',
  summary: 'The integrations of a site',
  params: siteParams,
  status: 200,
  response: collection(integration),
});

export const createIntegration = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/integrations`,
  access: 'site',
  needs: 'admin',
  tag: 'Integrations',
  summary: 'Connect a tool',
  description:
    'The tool is asked at once whether it accepts the credentials; nothing is kept if it does not.',
  params: siteParams,
  body: z.strictObject({ provider: line(40), name: line(100).optional(), credentials }),
  status: 201,
  response: integration,
  errors: ['credentials_refused', 'limit_reached', 'unavailable'],
});

export const getIntegration = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/integrations/{id}`,
  access: 'site',
  tag: 'Integrations',
  summary: 'Read an integration',
  params: siteItemParams,
  status: 200,
  response: integration,
});

export const updateIntegration = defineRoute({
  method: 'PATCH',
  path: `${SITE_PATH}/integrations/{id}`,
  access: 'site',
  needs: 'admin',
  tag: 'Integrations',
  summary:
    'Rename an integration, or give it new credentials, the secret of its webhook or a field for links',
  description:
    'New credentials are tried like the first ones; what waits for them is then delivered at once. `webhook_secret` is what the tool signs its webhooks with (a signing secret, a verification key, a token); empty takes it away. `link_field` is filled with the challenge of every customer whom the tool knows, and kept current: see `/links`. Ended, the field stays in the tool as it is; the links in it go on working.',
  params: siteItemParams,
  body: z.strictObject({
    name: line(100).optional(),
    credentials: credentials.optional(),
    webhook_secret: line(2000, 0).optional().describe('Never shown again.'),
    link_field: z
      .strictObject({ id: line(200), name: line(200) })
      .nullable()
      .optional()
      .describe('One of the `fields` of the tool; null ends it.'),
  }),
  status: 200,
  response: integration,
  errors: ['credentials_refused', 'unavailable'],
});

export const deleteIntegration = defineRoute({
  method: 'DELETE',
  path: `${SITE_PATH}/integrations/{id}`,
  access: 'site',
  needs: 'admin',
  tag: 'Integrations',
  summary: 'Disconnect a tool that no action uses',
  params: siteItemParams,
  status: 204,
  response: z.null(),
  errors: ['conflict'],
});

export const verifyIntegration = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/integrations/{id}/verify`,
  access: 'site',
  tag: 'Integrations',
  summary: 'Ask the tool whether it still accepts the credentials',
  params: siteItemParams,
  status: 200,
  response: integration,
  errors: ['unavailable'],
});

export const listToolResources = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/integrations/{id}/resources`,
  access: 'site',
  tag: 'Integrations',
  summary: 'The lists, tags, automations and so on of the connected account',
  params: siteItemParams,
  query: z.strictObject({ kind: z.enum(TOOL_RESOURCE_KINDS) }),
  status: 200,
  response: collection(z.object({ id: z.string(), name: z.string() })),
  errors: ['credentials_refused', 'unavailable'],
});
