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

const capability = z
  .discriminatedUnion('can', [
    z.object({
      can: z.literal(true),
      operations: z.array(z.string()).describe('The operation and, if the tool supports it, its reverse.'),
      target: z.enum(TOOL_RESOURCE_KINDS).nullable().describe('What the action targets; null: nothing.'),
      irreversible: z.string().nullable().describe("What can't be undone in the tool."),
      note: z.string().nullable(),
      note_operation: z.string().nullable().describe('The only operation that the note is about; null: all.'),
    }),
    z.object({ can: z.literal(false), reason: z.string() }),
  ])
  .meta({ id: 'Capability' });

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
      .describe('A mark by which the tool is recognized.'),
    credentials: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        help: z.string(),
        secret: z.boolean(),
        example: z.string(),
        choices: z
          .record(z.string(), z.string())
          .nullable()
          .describe('Labels of the values it can have. If you leave it out, the first is taken.'),
      }),
    ),
    oauth: z.boolean().describe('Whether you can connect it by logging in at the tool, without credentials.'),
    oauth_takes: z
      .array(z.string())
      .describe("Names of credentials you can send along, if a login alone isn't enough."),
    actions: z.record(z.enum(ACTION_TYPES), capability),
    limits: z.array(z.object({ requests: z.number().int(), per_seconds: z.number() })),
    tells_us: z.enum(['webhook', 'poll']).describe('How the tool reports what people do there.'),
    webhook_secret: z
      .enum(['needed', 'optional', 'none'])
      .describe(
        "Whether its webhooks are verified with a secret you enter here. needed: without it, they're rejected.",
      ),
    webhook_secret_source: z
      .enum(['tool', 'you'])
      .nullable()
      .describe(
        'Where the secret comes from. tool: the tool shows it. you: choose one and enter it there, too.',
      ),
    imports: z
      .array(z.enum(['lists', 'tags']))
      .describe('What an import can read people from; empty: nothing.'),
    email_merge_tag: z.string().describe("Inserts the email in the tool's emails."),
  })
  .meta({ id: 'Connector' });

/** connected: it worked last. credentials_refused: an owner has to enter new ones. switched_off: failed for days. */
export const INTEGRATION_STATUSES = ['connected', 'credentials_refused', 'switched_off'] as const;

export const WEBHOOK_STATES = ['registered', 'by_hand', 'pending', 'missing'] as const;

/** A custom field of the tool. */
export const toolField = z.object({ id: z.string(), name: z.string() });

export const integration = z
  .object({
    id,
    provider: z.string().describe("Its connector's id."),
    name: z.string(),
    account_name: z.string().describe("The account's name in the tool."),
    same_account_as: z
      .array(id)
      .describe('Other integrations of this site that are connected to the same account.'),
    connected_by: z.enum(['credentials', 'oauth']),
    status: z.enum(INTEGRATION_STATUSES),
    status_reason: z.string().nullable(),
    failing_since: timestamp.nullable(),
    rests_until: timestamp
      .nullable()
      .describe(
        "Set if it didn't respond several times in a row: we send nothing until then, then try one delivery.",
      ),
    webhook_url: z
      .string()
      .nullable()
      .describe(
        "The URL for the tool's webhooks. null for tools that we poll, and for viewers: the URL is a secret.",
      ),
    webhook_setup: z.string().nullable().describe("How to set it up by hand, if the tool doesn't let us."),
    webhook_state: z
      .enum(WEBHOOK_STATES)
      .nullable()
      .describe(
        "Whether unsubscribes in the tool reach us. registered: we set the webhook up in the tool, and it was there when we last looked (daily). by_hand: we couldn't, but the tool has called. pending: we're about to set it up. missing: neither; see `webhook_reason`. null for tools that we poll.",
      ),
    webhook_checked_at: timestamp.nullable().describe('When we last looked in the tool.'),
    webhook_reason: z
      .string()
      .nullable()
      .describe("Why we couldn't set it up: what the tool answered, or that it can't reach this server."),
    has_webhook_secret: z.boolean(),
    link_field: toolField
      .nullable()
      .describe("The custom field that stores each customer's personal link; null: none."),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Integration' });

export type ConnectorInfo = z.infer<typeof connector>;
export type Integration = z.infer<typeof integration>;
export type WebhookState = (typeof WEBHOOK_STATES)[number];
export type IntegrationStatus = (typeof INTEGRATION_STATUSES)[number];

/** Whether what a tool accepts or rejects is an API key: nothing else was typed in to connect it. */
export function isKeyAlone(
  connectedBy: Integration['connected_by'],
  asking: { credentials: readonly { name: string; choices?: object | null }[] } | undefined,
): boolean {
  const typed = asking?.credentials.filter(({ choices }) => !choices) ?? [];
  return connectedBy !== 'oauth' && typed.map(({ name }) => name).join() === 'api_key';
}

export const credentials = z
  .record(z.string().max(60), z.string().trim().min(1).max(2000))
  .describe("By the connector's credential names. Never shown again.");

export const listConnectors = defineRoute({
  method: 'GET',
  path: '/core/v1/connectors',
  access: 'user',
  tag: 'Integrations',
  summary: 'List the email tools and what each can do',
  status: 200,
  response: collection(connector),
});

export const listIntegrations = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/integrations`,
  access: 'site',
  tag: 'Integrations',
  summary: 'List the integrations of a site',
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
  description: 'We check the credentials with the tool right away and store nothing if it rejects them.',
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
  summary: "Change an integration's name, credentials, webhook secret or link field",
  description:
    'We check new credentials with the tool, then send waiting deliveries right away. Credentials of another account answer 409 `other_tool_account` unless you send `other_account`: the actions stay, and those whose target that account lacks are marked (`target_gone_since`). `webhook_secret` is what the tool signs its webhooks with (a signing secret, verification key or token); empty removes it. `link_field` gets the challenge of every customer the tool knows and is kept up to date, see `GET …/integrations/{id}/links`. After you end it, the field stays in the tool, and its links keep working.',
  params: siteItemParams,
  body: z.strictObject({
    name: line(100).optional(),
    credentials: credentials.optional(),
    other_account: z.literal(true).optional().describe('The credentials may be of another account.'),
    webhook_secret: line(2000, 0).optional().describe('Never shown again.'),
    link_field: z
      .strictObject({ id: line(200), name: line(200) })
      .nullable()
      .optional()
      .describe("One of the tool's `fields`; null ends it."),
  }),
  status: 200,
  response: integration,
  errors: ['credentials_refused', 'other_tool_account', 'unavailable'],
});

export const deleteIntegration = defineRoute({
  method: 'DELETE',
  path: `${SITE_PATH}/integrations/{id}`,
  access: 'site',
  needs: 'admin',
  tag: 'Integrations',
  summary: 'Disconnect a tool; no action may use it',
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
  summary: 'Check the credentials with the tool',
  params: siteItemParams,
  status: 200,
  response: integration,
  errors: ['unavailable'],
});

export const setUpWebhook = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/integrations/{id}/webhook`,
  access: 'site',
  tag: 'Integrations',
  summary: "Set up the integration's webhook in the tool",
  description:
    'We do so ourselves after you connect a tool, and check it daily. This does it now; where the webhook is there already, nothing changes. If the tool refuses, `webhook_state` and `webhook_reason` of the answer say so.',
  params: siteItemParams,
  status: 200,
  response: integration,
  errors: ['conflict'],
});

export const listToolResources = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/integrations/{id}/resources`,
  access: 'site',
  tag: 'Integrations',
  summary: "List the connected account's lists, tags, automations and so on",
  params: siteItemParams,
  query: z.strictObject({ kind: z.enum(TOOL_RESOURCE_KINDS) }),
  status: 200,
  response: collection(z.object({ id: z.string(), name: z.string() })),
  errors: ['credentials_refused', 'unavailable'],
});
