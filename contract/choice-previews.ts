import { z } from 'zod';
import { ACTION_TYPES, requestedChange } from './actions.ts';
import { changedList, CHOICE_EVENTS } from './choices.ts';
import { listPreferences } from './customers.ts';
import { email, id, timestamp } from './fields.ts';
import { PAUSE_DAYS, pauseUntil } from './public-preferences.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

/**
 * Why an action would send nothing.
 * disabled: it is off. other_event: the choice isn't its event. other_lists: the event is about none of its lists.
 * test: a test customer. disconnected, tool_off: its tool is gone or off. no_change: it asks nothing of the tool for this
 * customer, such as adding somebody who has left everything. already_so: the tool shows it already, or doesn't know the
 * customer. refused: the tool would refuse it. unreadable: the tool can't be read, so that what it needs is unknown.
 */
export const NO_CALLS_BECAUSE = [
  'disabled',
  'other_event',
  'other_lists',
  'test',
  'disconnected',
  'tool_off',
  'no_change',
  'already_so',
  'refused',
  'unreadable',
] as const;

export type NoCallsBecause = (typeof NO_CALLS_BECAUSE)[number];

const previewedCall = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
});

export const actionPlan = z
  .object({
    action_id: id,
    name: z.string(),
    type: z.enum(ACTION_TYPES),
    event: z.enum(CHOICE_EVENTS),
    integration_id: id.nullable(),
    calls: z.array(previewedCall).describe('What would be sent, in order. Reads are left out.'),
    changes: z.array(requestedChange).describe('What a tool is asked to change.'),
    is_exact: z
      .boolean()
      .describe(
        'false: there may be other calls than these, since they depend on what a tool answers to an earlier one.',
      ),
    no_calls_because: z.enum(NO_CALLS_BECAUSE).nullable().describe('null if something would be sent.'),
    error: z.string().nullable().describe('What the tool said, for `refused` and `unreadable`.'),
  })
  .meta({ id: 'ActionPlan' });

export type ActionPlan = z.infer<typeof actionPlan>;

export const choicePreview = z
  .object({
    customer: z.object({
      id: id.nullable().describe('null: no customer has this email yet.'),
      email: z.string(),
    }),
    is_held: z.boolean().describe('The site is in test mode: deliveries wait until it goes live.'),
    choices: z
      .array(
        z.object({
          events: z.array(z.enum(CHOICE_EVENTS)),
          lists: z.array(changedList).describe('What changes, list by list.'),
          global_unsubscribe: z.boolean(),
          paused_until: timestamp.nullable(),
          wrong_recipient_at: timestamp
            .nullable()
            .describe('Set if everything is off because the inbox belongs to someone else.'),
          needs_confirmation: z
            .boolean()
            .describe(
              'true: none of this happens, and none of it is sent, until the customer has confirmed it by email: double opt-in, or `confirm_changes`.',
            ),
          actions: z.array(actionPlan).describe('Every action of the site, those that send first.'),
        }),
      )
      .describe(
        'In order: for a new customer, their creation comes first. Anything that has to be confirmed comes last. Empty if the choice changes nothing.',
      ),
  })
  .meta({ id: 'ChoicePreview' });

export type ChoicePreview = z.infer<typeof choicePreview>;

export const previewedChoice = z
  .union([
    z.strictObject({
      lists: listPreferences,
      global_unsubscribe: z
        .literal(true)
        .optional()
        .describe('As "Unsubscribe from all" on the page sends it: with every list off.'),
    }),
    z.strictObject({ global_unsubscribe: z.boolean() }),
    z.strictObject({ pause_days: z.union(PAUSE_DAYS.map((days) => z.literal(days))) }),
    z.strictObject({ pause_until: pauseUntil }),
    z.strictObject({ email }),
    z.strictObject({
      wrong_recipient: z
        .literal(true)
        .describe(
          "The person who reads the inbox says that they aren't this customer, with a link in an email.",
        ),
    }),
  ])
  .describe('As the public page would send it.');

export type PreviewedChoice = z.infer<typeof previewedChoice>;

export const previewChoice = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/choice-previews`,
  access: 'site',
  needs: 'viewer',
  tag: 'Actions',
  summary: 'Preview everything a choice would send',
  description:
    'Shows what each action would do if this customer made this choice now. Stores and sends nothing; tools are only read. Credentials and signatures are hidden. An email without a customer is previewed as a new one.',
  params: siteParams,
  body: z.strictObject({
    customer: z.union([z.strictObject({ id }), z.strictObject({ email })]),
    choice: previewedChoice,
    together_with: z
      .array(id)
      .min(1)
      .max(49)
      .optional()
      .describe(
        'Other customers who make the same choice at the same moment. Where a tool takes a change for many people at once, `calls` are those that all of them share.',
      ),
    on_behalf: z
      .boolean()
      .optional()
      .describe(
        'true: as your team or an API key would record it for the customer. Nothing waits for a confirmation then. For lists, everything and the email.',
      ),
    confirm_changes: z
      .boolean()
      .optional()
      .describe(
        'true: as on a page with `confirm_changes`, by someone who only typed their email. Resubscribing and a new email then wait for a click in an email.',
      ),
  }),
  status: 200,
  response: choicePreview,
  errors: ['error_exists', 'invalid_field', 'rate_limited'],
});
