import { z } from 'zod';
import { disabledBecause } from './actions.ts';
import { DELIVERY_OUTCOMES, DELIVERY_STATUSES } from './deliveries.ts';
import { LEAVE_REASONS } from './choices.ts';
import { collection, id, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

/** Days up to today, or for `12m` the 52 weeks up to this one. Days are UTC, weeks begin on Monday. */
export const DASHBOARD_RANGES = ['7d', '30d', '90d', '12m'] as const;

export type DashboardRange = (typeof DASHBOARD_RANGES)[number];

/** How many choices are looked at for why no action sent them. */
export const UNSENT_LOOKED_AT = 100;

const count = z.number().int().min(0);

/** How many in the range, and in the same time before it. */
const compared = z.object({ now: count, before: count });

export const INTEGRATION_HEALTHS = ['connected', 'needs_attention', 'resting', 'switched_off'] as const;

export type IntegrationHealth = (typeof INTEGRATION_HEALTHS)[number];

const moves = {
  joins: z.array(count).describe('By period.'),
  leaves: z.array(count).describe('By period.'),
};

export const dashboard = z
  .object({
    range: z.enum(DASHBOARD_RANGES),
    workers_paused: z
      .boolean()
      .describe('true: Sayso was restored from a backup and sends nothing until it is resumed.'),
    from: timestamp.describe('Start of the first period.'),
    until: timestamp.describe('When this was counted.'),
    step: z.enum(['day', 'week']),
    periods: z
      .array(timestamp)
      .describe('Start of each period, oldest first; the last one is still running.'),
    customers: z.object({
      total: count.describe('Current customers, without erased ones.'),
      created: compared,
    }),
    choices: compared
      .extend({
        periods: z.array(count).describe('By period.'),
        unsent: count.describe(
          'How many choices in the range changed something that no action sent. Excludes those that a tool reported.',
        ),
        unsent_because: z
          .object({
            uncovered: count.describe('No action that is on covers them.'),
            covered_later: count.describe(
              'Saved before an action that is on now covered them. A comparison finds what is missing in a tool.',
            ),
            is_partial: z
              .boolean()
              .describe(
                `true: there may be more, because only the ${UNSENT_LOOKED_AT} newest were looked at.`,
              ),
          })
          .describe(
            `Why those of \`unsent\` among the ${UNSENT_LOOKED_AT} newest weren't sent, without those saved before the last finished comparison with every connected tool.`,
          ),
      })
      .describe("Saves that chose something. Creating a customer doesn't count."),
    wrong_recipients: count.describe(
      'Customers with `wrong_recipient_at`: their inbox belongs to someone else. Not counted as unsubscribes.',
    ),
    complaints: z
      .object({
        open: count,
        overdue: count.describe('Open ones after their `due_at`; also counted in `open`.'),
        next_due_at: timestamp.nullable().describe('When the first open one is due.'),
      })
      .describe('Complaints about how data is used, of any age.'),
    joins: compared.describe('For any list.'),
    leaves: compared.describe('For any list. Unsubscribing from all counts for each subscribed list.'),
    lists: z
      .array(
        z.object({
          list_id: id,
          name: z.string(),
          is_sent: z.boolean().describe('Whether an action that is on sends changes of this list to a tool.'),
          ...moves,
        }),
      )
      .describe('In list order.'),
    reasons: z
      .array(z.object({ reason: z.enum(LEAVE_REASONS), count }))
      .describe('Reasons given for unsubscribing, most frequent first.'),
    deliveries: z
      .object({ arrived: count, waiting: count, failed: count, late: count, older_failed: count })
      .describe(
        'For choices in the range. late: not delivered 48 hours after the choice; also counted above. older_failed: failed ones for choices before the range.',
      ),
    integrations: z.array(
      z.object({
        id,
        provider: z.string(),
        name: z.string(),
        health: z
          .enum(INTEGRATION_HEALTHS)
          .describe(
            "needs_attention: its credentials are rejected, or its last calls failed. resting: it isn't responding, and we retry later.",
          ),
        needs_credentials: z
          .boolean()
          .describe('true: the tool rejected its credentials, and someone has to enter new ones.'),
        has_key_alone: z.boolean().describe('true: its credentials are an API key and nothing else.'),
        waiting: count.describe('Waiting deliveries of any age.'),
        unconfirmed: count.describe(
          "Deliveries of the last 7 days that the tool hasn't confirmed 24 hours after the choice, though it could.",
        ),
        last_arrival_at: timestamp.nullable().describe('When one of its latest deliveries last arrived.'),
      }),
    ),
    endpoints: z
      .array(
        z.object({
          action_id: id,
          name: z.string().describe('Of the action.'),
          type: z.enum(['webhook', 'evidence']),
          state: z
            .enum(['failing', 'switched_off'])
            .describe(
              "failing: the receiver rejected or didn't answer the last attempt, and we retry. switched_off: we turned the action off because its receiver kept failing or is gone.",
            ),
          disabled_because: disabledBecause,
          failing_since: timestamp.nullable(),
        }),
      )
      .describe('Webhook and evidence actions that need attention. Those that work are left out.'),
  })
  .meta({ id: 'Dashboard' });

export type Dashboard = z.infer<typeof dashboard>;

export const getDashboard = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/dashboard`,
  access: 'site',
  tag: 'Dashboard',
  summary: 'Read the figures of a site',
  description:
    "Days are UTC days, and the last period is still running. Each figure is compared with the period of the same length right before. A join is a customer who subscribed to a list they weren't on. A leave is one who was on it, by choice or by default. Pauses count as neither.",
  params: siteParams,
  query: z.strictObject({ range: z.enum(DASHBOARD_RANGES).default('30d') }),
  status: 200,
  response: dashboard,
});

const byVerdict = z.object({
  likely_machine: count,
  unclear: count,
  likely_person: count,
  unknown: count,
  others: count.describe('Not made by visitors, but by your team, the API, an import or a tool.'),
});

export const leaveJudgements = z
  .object({
    from: timestamp.describe('Start of the range.'),
    leaves: byVerdict.describe('Unsubscribes, as the dashboard counts them.'),
    reasons: z
      .array(byVerdict.extend({ reason: z.enum(LEAVE_REASONS) }))
      .describe('Reasons given for unsubscribing.'),
    is_partial: z
      .boolean()
      .describe('true: there are more, because only the 1,000 newest unsubscribes or reasons were judged.'),
  })
  .meta({ id: 'LeaveJudgements' });

export type LeaveJudgements = z.infer<typeof leaveJudgements>;

export const getLeaveJudgements = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/dashboard/leaves`,
  access: 'site',
  tag: 'Dashboard',
  summary: 'Count unsubscribes likely made by machines',
  description:
    "Security scanners open the links in emails, and some click what they find. Unsubscribes and reasons are split by who likely made them, as in each record's `judgement`. A label only: they count as unsubscribes either way.",
  params: siteParams,
  query: z.strictObject({ range: z.enum(DASHBOARD_RANGES).default('30d') }),
  status: 200,
  response: leaveJudgements,
});

export const onboarding = z
  .object({
    lists: count,
    pages: count,
    integrations: count,
    actions: count,
    has_own_choice: z
      .boolean()
      .describe("Whether a customer with your account's email has saved something on a page or by a link."),
    is_live: z.boolean().describe('Whether customers recently saved something on a page or by a link.'),
    first_page: z.object({ id, url: z.string() }).nullable(),
    to_set_up: z
      .object({ id, name: z.string() })
      .nullable()
      .describe('The first connected tool that no action works in yet.'),
  })
  .meta({ id: 'Onboarding' });

export type Onboarding = z.infer<typeof onboarding>;

export const getOnboarding = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/dashboard/onboarding`,
  access: 'site',
  tag: 'Dashboard',
  summary: 'Read what the first steps of a site are derived from',
  params: siteParams,
  status: 200,
  response: onboarding,
});

export const listFigures = z
  .object({
    list_id: id,
    subscribers: count.describe("Customers who subscribed and haven't unsubscribed or paused."),
    joins: count.describe('In the last 30 days.'),
    leaves: count.describe('In the last 30 days.'),
    actions: z
      .array(z.object({ id, name: z.string(), enabled: z.boolean() }))
      .describe('Actions that run when someone subscribes or unsubscribes.'),
  })
  .meta({ id: 'ListFigures' });

export type ListFigures = z.infer<typeof listFigures>;

/** The sites that `listSitesInNeed` looks at: each takes queries of its own. */
export const MOST_SITES_CHECKED = 50;

const siteInNeed = z
  .object({
    site_id: id,
    integrations: count.describe('Integrations that need attention or are off.'),
    failed_deliveries: count.describe('Failed in the last 30 days.'),
  })
  .meta({ id: 'SiteInNeed' });

export const listSitesInNeed = defineRoute({
  method: 'GET',
  path: '/core/v1/organizations/{organization_id}/sites-in-need',
  access: 'organization',
  tag: 'Organizations',
  summary: 'List the sites that need attention',
  description: `Those with an integration that needs attention or is off, or with failed deliveries, among the first ${MOST_SITES_CHECKED} sites of the organization.`,
  params: z.object({ organization_id: id }),
  status: 200,
  response: collection(siteInNeed),
});

export type SiteInNeed = z.infer<typeof siteInNeed>;

export const getListFigures = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/lists/figures`,
  access: 'site',
  tag: 'Lists',
  summary: 'Read the figures of each list, in list order',
  params: siteParams,
  status: 200,
  response: collection(listFigures),
});

export const actionFigures = z
  .object({
    action_id: id,
    arrived: count.describe('In the last 30 days.'),
    waiting: count.describe('In the last 30 days.'),
    failed: count.describe('In the last 30 days.'),
    retrying: count.describe('Of the waiting ones: those whose last attempt failed.'),
    failing_since: timestamp
      .nullable()
      .describe('Since when its tool or its receiver has been failing; null: the last attempt worked.'),
    last_delivery: z
      .object({
        id,
        status: z.enum(DELIVERY_STATUSES),
        outcome: z.enum(DELIVERY_OUTCOMES),
        created_at: timestamp,
      })
      .nullable()
      .describe('The newest one, of any age.'),
  })
  .meta({ id: 'ActionFigures' });

export type ActionFigures = z.infer<typeof actionFigures>;

export const getActionFigures = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/actions/figures`,
  access: 'site',
  tag: 'Actions',
  summary: 'Read the delivery figures of each action',
  params: siteParams,
  status: 200,
  response: collection(actionFigures),
});
