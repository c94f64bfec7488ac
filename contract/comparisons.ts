import { z } from 'zod';
import { TOOL_ACTION_TYPES } from './actions.ts';
import { collection, id, pageQuery, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams } from './site-scope.ts';

/** nightly and on_demand hold all customers against the tool; mending applies what was found. */
export const COMPARISON_KINDS = ['nightly', 'on_demand', 'mending'] as const;
export const COMPARISON_STATUSES = ['running', 'finished', 'cancelled', 'failed'] as const;

/** The types that say where a person should be in a tool, and not what should happen there once. */
const LEVEL_TYPES = TOOL_ACTION_TYPES.filter((type) => type !== 'switch_email');

/**
 * opt_out_missing: left here, not there; fixed automatically. not_applied: anything else that an action should have done.
 * opted_out_there: left there, receives here; the fix is to leave here.
 */
export const DIFFERENCE_KINDS = ['opt_out_missing', 'not_applied', 'opted_out_there'] as const;

/** dismissed: stays so as long as it is the same. gone: no longer so when it was looked at again. */
export const DIFFERENCE_STATUSES = ['open', 'mended', 'dismissed', 'gone'] as const;

/** Of the open differences of a tool, so many are counted: the newest. */
export const MAX_COUNTED_DIFFERENCES = 100_000;

/** The counts of a comparison whose customers are stored; of the others only the number is. */
export const LISTED_COUNTS = ['different', 'mended', 'failed'] as const;

const count = z.number().int();

export const comparison = z
  .object({
    id,
    kind: z.enum(COMPARISON_KINDS),
    status: z.enum(COMPARISON_STATUSES),
    counts: z.object({
      total: count.describe('What there is to process: customers, or differences to fix.'),
      customers: count.describe('Processed so far.'),
      compared: count.describe('Looked up in the tool.'),
      same: count.describe('The same in the tool.'),
      different: count.describe('With an open difference.'),
      mended: count.describe('Fixed differences.'),
      failed: count.describe("Differences that couldn't be fixed."),
      unknown: count.describe("Where the tool doesn't say."),
      skipped: count.describe(
        'No choices linked to the tool, a delivery under way, or changed during the comparison.',
      ),
    }),
    error: z
      .string()
      .nullable()
      .describe('Why it failed, or what it is waiting for before it retries automatically.'),
    started_at: timestamp,
    finished_at: timestamp.nullable(),
    started_by: id.nullable().describe('The account; null: started by the nightly schedule.'),
  })
  .meta({ id: 'Comparison' });

const differenceChange = z.object({
  in: z.enum(['tool', 'here']),
  type: z.enum(LEVEL_TYPES),
  target: z.object({ id: z.string(), name: z.string() }).nullable(),
  on: z
    .boolean()
    .describe('In the list, or has the tag. For unsubscribes and suppression groups: receives nothing.'),
  list_ids: z.array(id).describe('In `here`: the lists to unsubscribe from; empty: all.'),
});

const openChange = z.object({ kind: z.enum(DIFFERENCE_KINDS), change: differenceChange, count });

export const difference = z
  .object({
    id,
    comparison_id: id.describe('The last comparison that found it.'),
    customer_id: id,
    customer_email: z.string().nullable(),
    action_id: id.nullable().describe('The action it belongs to; null: no single action.'),
    kind: z.enum(DIFFERENCE_KINDS),
    change: differenceChange.describe(
      'What the fix changes, in the tool or here. In `here`, `type` is what the tool says.',
    ),
    ours: z.object({
      global_unsubscribe: z.boolean(),
      paused_until: timestamp.nullable(),
      lists: z.array(z.object({ list_id: id, subscribed: z.boolean() })).describe('Lists with a choice.'),
      changed_at: timestamp.describe('The last change here.'),
    }),
    theirs: z.object({
      known: z.boolean().describe('Whether the tool knows the email.'),
      unsubscribed: z.boolean().nullable().describe("Receives nothing; null: the tool doesn't say."),
      holds: z.boolean().nullable().describe("Is in the target of `change`; null: the tool doesn't say."),
    }),
    status: z.enum(DIFFERENCE_STATUSES),
    error: z.string().nullable().describe('Why the last attempt to fix it failed.'),
    created_at: timestamp,
    resolved_at: timestamp.nullable(),
  })
  .meta({ id: 'Difference' });

export type Comparison = z.infer<typeof comparison>;
export type Difference = z.infer<typeof difference>;
export type OpenChange = z.infer<typeof openChange>;
export type ComparisonKind = (typeof COMPARISON_KINDS)[number];
export type ComparisonStatus = (typeof COMPARISON_STATUSES)[number];
export type ListedCount = (typeof LISTED_COUNTS)[number];
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];
export type DifferenceStatus = (typeof DIFFERENCE_STATUSES)[number];

const TAG = 'Integrations';
const INTEGRATION_PATH = `${SITE_PATH}/integrations/{id}` as const;
const comparisonParams = siteItemParams.extend({ comparison_id: id });
const differenceParams = siteItemParams.extend({ difference_id: id });

export const startComparison = defineRoute({
  method: 'POST',
  path: `${INTEGRATION_PATH}/comparisons`,
  access: 'site',
  tag: TAG,
  summary: 'Compare all customers with a tool now',
  description:
    'Unsubscribes that are missing in the tool are fixed right away. Everything else is listed as a difference.',
  params: siteItemParams,
  status: 202,
  response: comparison,
  errors: ['conflict'],
});

export const listComparisons = defineRoute({
  method: 'GET',
  path: `${INTEGRATION_PATH}/comparisons`,
  access: 'site',
  tag: TAG,
  summary: 'List comparisons with a tool and fixes of what they found, newest first',
  params: siteItemParams,
  query: pageQuery,
  status: 200,
  response: collection(comparison).extend({
    nightly_at: timestamp.nullable().describe("The next automatic one; null while the tool isn't connected."),
  }),
});

export const getComparison = defineRoute({
  method: 'GET',
  path: `${INTEGRATION_PATH}/comparisons/{comparison_id}`,
  access: 'site',
  tag: TAG,
  summary: 'Read a comparison and its progress',
  params: comparisonParams,
  status: 200,
  response: comparison,
});

export const listComparisonDifferences = defineRoute({
  method: 'GET',
  path: `${INTEGRATION_PATH}/comparisons/{comparison_id}/differences`,
  access: 'site',
  tag: TAG,
  summary: "List the differences behind a comparison's counts, newest first",
  description:
    'Each as it is now: `different` also lists what was fixed or dismissed since. A difference that a later comparison found again is listed with that one. A customer can have several. Customers who match, were skipped or are unknown to the tool are only counted.',
  params: comparisonParams,
  query: pageQuery.extend({ count: z.enum(LISTED_COUNTS) }),
  status: 200,
  response: collection(difference),
});

export const cancelComparison = defineRoute({
  method: 'POST',
  path: `${INTEGRATION_PATH}/comparisons/{comparison_id}/cancel`,
  access: 'site',
  tag: TAG,
  summary: 'Cancel a comparison or fix',
  description: 'What it has found and fixed so far stays.',
  params: comparisonParams,
  status: 200,
  response: comparison,
  errors: ['conflict'],
});

export const listDifferences = defineRoute({
  method: 'GET',
  path: `${INTEGRATION_PATH}/differences`,
  access: 'site',
  tag: TAG,
  summary: 'List differences with a tool, newest first',
  params: siteItemParams,
  query: pageQuery.extend({
    status: z.enum(DIFFERENCE_STATUSES).optional(),
    kind: z.enum(DIFFERENCE_KINDS).optional(),
  }),
  status: 200,
  response: collection(difference).extend({
    open: z
      .object({ opt_out_missing: count, not_applied: count, opted_out_there: count })
      .describe(
        `How many are open, regardless of filters. Counts the newest ${MAX_COUNTED_DIFFERENCES.toLocaleString('en')}.`,
      ),
    open_changes: z
      .array(openChange)
      .describe('What fixing all open ones changes, and for how many; most first.'),
  }),
});

export const mendDifference = defineRoute({
  method: 'POST',
  path: `${INTEGRATION_PATH}/differences/{difference_id}/mend`,
  access: 'site',
  tag: TAG,
  summary: 'Fix a difference',
  description:
    'Checked again first: `gone` if it no longer exists. If the tool rejects the fix, the difference stays open with the reason in `error`.',
  params: differenceParams,
  status: 200,
  response: difference,
  errors: ['conflict', 'credentials_refused', 'unavailable'],
});

export const dismissDifference = defineRoute({
  method: 'POST',
  path: `${INTEGRATION_PATH}/differences/{difference_id}/dismiss`,
  access: 'site',
  tag: TAG,
  summary: 'Dismiss a difference',
  params: differenceParams,
  status: 200,
  response: difference,
  errors: ['conflict'],
});

export const mendDifferences = defineRoute({
  method: 'POST',
  path: `${INTEGRATION_PATH}/differences/mend`,
  access: 'site',
  tag: TAG,
  summary: 'Fix all matching open differences',
  description: 'Runs in the background. Read its progress like a comparison.',
  params: siteItemParams,
  body: z.strictObject({
    kind: z.enum(DIFFERENCE_KINDS).optional(),
    ids: z.array(id).min(1).max(1000).optional(),
  }),
  status: 202,
  response: comparison,
  errors: ['conflict'],
});
