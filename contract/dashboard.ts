import { z } from 'zod';
import { DELIVERY_STATUSES } from './deliveries.ts';
import { LEAVE_REASONS } from './choices.ts';
import { collection, id, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

/** Days up to today, or for `12m` the 52 weeks up to this one. Days are UTC, weeks begin on Monday. */
export const DASHBOARD_RANGES = ['7d', '30d', '90d', '12m'] as const;

export type DashboardRange = (typeof DASHBOARD_RANGES)[number];

const count = z.number().int().min(0);

/** How many in the range, and in the same time before it. */
const compared = z.object({ now: count, before: count });

export const INTEGRATION_HEALTHS = ['connected', 'needs_attention', 'resting', 'switched_off'] as const;

export type IntegrationHealth = (typeof INTEGRATION_HEALTHS)[number];

const moves = {
  joins: z.array(count).describe('Of each period.'),
  leaves: z.array(count).describe('Of each period.'),
};

export const dashboard = z
  .object({
    range: z.enum(DASHBOARD_RANGES),
    workers_paused: z
      .boolean()
      .describe('true: Sayso was restored from a backup and sends nothing until its operators resume it.'),
    from: timestamp.describe('Begin of the first period.'),
    until: timestamp.describe('When this was counted.'),
    step: z.enum(['day', 'week']),
    periods: z.array(timestamp).describe('Begin of each period, oldest first; the last one is under way.'),
    customers: z.object({
      total: count.describe('Who is there now, without those who were erased.'),
      created: compared,
    }),
    choices: compared.extend({ periods: z.array(count).describe('Of each period.') }),
    joins: compared.describe('Of any list.'),
    leaves: compared.describe('Of any list; who leaves everything leaves each list they were on.'),
    lists: z
      .array(z.object({ list_id: id, name: z.string(), ...moves }))
      .describe('In the order of the lists.'),
    reasons: z
      .array(z.object({ reason: z.enum(LEAVE_REASONS), count }))
      .describe('Why people left, where they said so, the most frequent first.'),
    deliveries: z
      .object({ arrived: count, waiting: count, failed: count, late: count })
      .describe('Of choices in the range. late: not arrived 48 hours after the choice; counted above, too.'),
    integrations: z.array(
      z.object({
        id,
        provider: z.string(),
        name: z.string(),
        health: z
          .enum(INTEGRATION_HEALTHS)
          .describe(
            'needs_attention: its credentials are refused, or its last calls failed. resting: it did not answer and is asked again later.',
          ),
        waiting: count.describe('Deliveries that wait for it, whatever their age.'),
        unconfirmed: count.describe(
          'Deliveries of the last 7 days that it has not confirmed 24 hours after the choice, though it can be asked.',
        ),
        last_arrival_at: timestamp.nullable().describe('When one of its newest deliveries arrived last.'),
      }),
    ),
  })
  .meta({ id: 'Dashboard' });

export type Dashboard = z.infer<typeof dashboard>;

export const getDashboard = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/dashboard`,
  access: 'site',
  tag: 'Dashboard',
  summary: 'The figures of a site over a time',
  description:
    'Days are UTC days and the last period is under way. What is compared is the same time, as long, right before. A join is a person who chose a list that they were not on; a leave is one who was on it, by choice or by its default. Pauses are neither.',
  params: siteParams,
  query: z.strictObject({ range: z.enum(DASHBOARD_RANGES).default('30d') }),
  status: 200,
  response: dashboard,
});

export const listFigures = z
  .object({
    list_id: id,
    subscribers: count.describe('Who chose it and has not left or paused everything.'),
    joins: count.describe('In the last 30 days.'),
    leaves: count.describe('In the last 30 days.'),
    actions: z
      .array(z.object({ id, name: z.string(), enabled: z.boolean() }))
      .describe('That act when somebody joins or leaves it.'),
  })
  .meta({ id: 'ListFigures' });

export type ListFigures = z.infer<typeof listFigures>;

export const getListFigures = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/lists/figures`,
  access: 'site',
  tag: 'Lists',
  summary: 'The figures of every list, in their order',
  params: siteParams,
  status: 200,
  response: collection(listFigures),
});

export const actionFigures = z
  .object({
    action_id: id,
    arrived: count.describe('Of the deliveries of the last 30 days.'),
    waiting: count.describe('Of the deliveries of the last 30 days.'),
    failed: count.describe('Of the deliveries of the last 30 days.'),
    last_delivery: z
      .object({ id, status: z.enum(DELIVERY_STATUSES), created_at: timestamp })
      .nullable()
      .describe('The newest one, whatever its age.'),
  })
  .meta({ id: 'ActionFigures' });

export type ActionFigures = z.infer<typeof actionFigures>;

export const getActionFigures = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/actions/figures`,
  access: 'site',
  tag: 'Actions',
  summary: 'What came of the deliveries of every action',
  params: siteParams,
  status: 200,
  response: collection(actionFigures),
});
