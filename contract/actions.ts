import { z } from 'zod';
import { CHOICE_EVENTS } from './choices.ts';
import { collection, email, givenTimestamp, httpUrl, id, line, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';
import { warnings } from './warnings.ts';

export const ACTION_TYPES = [
  'global_unsubscribe',
  'suppression_group',
  'switch_email',
  'webhook',
  'evidence',
  'tag',
  'funnel',
  'list',
  'automation',
] as const;

export type ActionType = (typeof ACTION_TYPES)[number];

/**
 * What the types that act in a tool do there, in the order that owners see them: the operations, forward and where there
 * is one back, and what an owner chooses the target from.
 */
export const TOOL_ACTIONS = {
  global_unsubscribe: { operations: ['unsubscribe', 'resubscribe'], target: null },
  list: { operations: ['add', 'remove'], target: 'lists' },
  tag: { operations: ['add', 'remove'], target: 'tags' },
  suppression_group: { operations: ['add', 'remove'], target: 'suppression_groups' },
  automation: { operations: ['start', 'stop'], target: 'automations' },
  funnel: { operations: ['start', 'stop'], target: 'funnels' },
  switch_email: { operations: ['change'], target: null },
} as const satisfies Partial<Record<ActionType, object>>;

type ToolActions = typeof TOOL_ACTIONS;

export type ToolActionType = keyof ToolActions;

/** The types that are about something an owner chose in the tool. */
export type TargetedActionType = {
  [Type in ToolActionType]: ToolActions[Type]['target'] extends null ? never : Type;
}[ToolActionType];

export type ToolTarget = ToolActions[TargetedActionType]['target'];

/** The operations in words, for the reference. */
const OPERATIONS = Object.entries(TOOL_ACTIONS)
  .map(([type, { operations }]) => `${type}: ${operations.map((one) => `\`${one}\``).join(' or ')}`)
  .join('; ');

/** A type with one of its operations. */
export type ToolOperation = {
  [Type in ToolActionType]: `${Type}_${ToolActions[Type]['operations'][number]}`;
}[ToolActionType];

export const TOOL_ACTION_TYPES = Object.keys(TOOL_ACTIONS) as [ToolActionType, ...ToolActionType[]];

export function isToolAction(type: ActionType): type is ToolActionType {
  return type in TOOL_ACTIONS;
}

export function isTargeted(type: ActionType): type is TargetedActionType {
  return isToolAction(type) && TOOL_ACTIONS[type].target !== null;
}

/** What an action asks of a tool for one customer. */
export const requestedChange = z.object({
  type: z.enum(TOOL_ACTION_TYPES),
  operation: z.string().describe('As of an action.'),
  target: z.object({ id: z.string(), name: z.string() }).nullable().describe('In the tool.'),
  email: z.string(),
  previous_email: z.string().nullable().describe('For `switch_email`.'),
});

export type RequestedChange = z.infer<typeof requestedChange>;

export const trigger = z.strictObject({
  event: z.enum(CHOICE_EVENTS),
  list_ids: z.array(id).max(200).default([]).describe('Empty: any list.'),
});

/** What an action acts on, by its type. */
export const actionTarget = z
  .union([
    z.strictObject({ url: httpUrl }),
    z.strictObject({ email }),
    z.strictObject({ id: line(200), name: line(200) }),
    z.strictObject({}),
  ])
  .describe(
    '`{url}` for a webhook; `{url}` or `{email}` for evidence; `{id, name}` for a tag, list, automation, funnel or suppression group; `{}` for global_unsubscribe and switch_email.',
  );

export const DISABLED_BECAUSE = ['gone', 'failing'] as const;

export type DisabledBecause = (typeof DISABLED_BECAUSE)[number];

export const disabledBecause = z
  .enum(DISABLED_BECAUSE)
  .nullable()
  .describe(
    'Why Sayso turned it off, if it did. gone: the receiver answered 410 Gone. failing: every delivery failed for 5 days.',
  );

export const action = z
  .object({
    id,
    type: z.enum(ACTION_TYPES),
    name: z.string(),
    enabled: z.boolean(),
    integration_id: id.nullable(),
    trigger,
    operation: z.string().nullable().describe('null for a webhook or evidence.'),
    target: z.record(z.string(), z.unknown()),
    disabled_reason: z.string().nullable().describe('Why Sayso turned it off, if it did.'),
    disabled_because: disabledBecause,
    target_gone_since: timestamp
      .nullable()
      .describe('Since when Sayso knows that the tool no longer has the target.'),
    created_at: timestamp,
    updated_at: timestamp,
    warnings,
    signing_secret: z
      .string()
      .optional()
      .describe('`whsec_...`, for a webhook or evidence. Only returned when it is created or rotated.'),
  })
  .meta({ id: 'Action' });

export type Action = z.infer<typeof action>;
export type Trigger = z.infer<typeof trigger>;

export const actionFields = z.strictObject({
  type: z.enum(ACTION_TYPES),
  name: line(100),
  enabled: z.boolean().default(true),
  integration_id: id.nullable().default(null),
  trigger,
  operation: z
    .string()
    .max(40)
    .nullable()
    .default(null)
    .describe(`What to do in the tool. ${OPERATIONS}. null for a webhook or evidence.`),
  target: actionTarget,
});

export const listActions = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/actions`,
  access: 'site',
  tag: 'Actions',
  summary: 'List the actions of a site',
  params: siteParams,
  status: 200,
  response: collection(action),
});

export const createAction = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/actions`,
  access: 'site',
  tag: 'Actions',
  summary: 'Create an action',
  params: siteParams,
  body: actionFields.meta({
    examples: [
      {
        type: 'webhook',
        name: 'Tell the shop',
        trigger: { event: 'unsubscribed' },
        target: { url: 'https://example.com/hooks' },
      },
    ],
  }),
  status: 201,
  response: action,
  errors: ['action_type_unavailable', 'limit_reached'],
});

export const getAction = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/actions/{id}`,
  access: 'site',
  tag: 'Actions',
  summary: 'Read an action',
  params: siteItemParams,
  status: 200,
  response: action,
});

export const updateAction = defineRoute({
  method: 'PATCH',
  path: `${SITE_PATH}/actions/{id}`,
  access: 'site',
  tag: 'Actions',
  summary: 'Change an action',
  description:
    'With `updated_at`, this answers 409 `conflict` if someone else changed the action in the meantime. Waiting deliveries use the changed action. With `rotate_secret`, the old signing secret stays valid for 24 hours alongside the new one.',
  params: siteItemParams,
  body: z.strictObject({
    name: line(100).optional(),
    enabled: z.boolean().optional(),
    trigger: trigger.optional(),
    target: actionTarget.optional(),
    updated_at: givenTimestamp.optional().describe('Of the action as you read it.'),
    rotate_secret: z.literal(true).optional(),
  }),
  status: 200,
  response: action,
  errors: ['conflict'],
});

export const deleteAction = defineRoute({
  method: 'DELETE',
  path: `${SITE_PATH}/actions/{id}`,
  access: 'site',
  tag: 'Actions',
  summary: 'Delete an action; its deliveries stay',
  params: siteItemParams,
  status: 204,
  response: z.null(),
});

/**
 * Why there is nothing to send for a customer. test: a test customer. The others are about a test of an action in a tool.
 * no_choice: the customer has made no choice that the action is for, apart from those marked as tests. overtaken: they
 * have made a newer choice since. erased, disconnected: the customer or the tool is gone.
 */
export const NOTHING_BECAUSE = ['no_choice', 'overtaken', 'erased', 'disconnected', 'test'] as const;

export type NothingBecause = (typeof NOTHING_BECAUSE)[number];

export const previewAction = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/actions/{id}/preview`,
  access: 'site',
  needs: 'viewer',
  tag: 'Actions',
  summary: 'Preview the calls an action would make for a customer',
  description:
    'Sends nothing. An email is shown as a call with the method `MAIL` and a `mailto:` URL. With `test`, it shows what a test would send, instead of what a new choice would.',
  params: siteItemParams,
  body: z.strictObject({ customer_id: id, test: z.literal(true).optional() }),
  status: 200,
  errors: ['credentials_refused', 'unavailable'],
  response: z.object({
    calls: z.array(
      z.object({
        method: z.string(),
        url: z.string(),
        headers: z.record(z.string(), z.string()),
        body: z.string().nullable(),
      }),
    ),
    changes: z.array(requestedChange).describe('What a tool is asked to change. Empty for other actions.'),
    nothing_because: z
      .enum(NOTHING_BECAUSE)
      .nullable()
      .describe(
        'Why nothing would be sent; null if something would. `test`: a test customer, whose changes are never sent. The others only with `test`, for an action in a tool.',
      ),
  }),
});
