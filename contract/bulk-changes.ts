import { z } from 'zod';
import { auditActor } from './audit-log.ts';
import { BULK_CHANGE_KINDS } from './choices.ts';
import { collection, id, pageQuery, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

export type BulkChangeKind = (typeof BULK_CHANGE_KINDS)[number];

/** checking and checked are the preview. deleting: customers that the bulk change created, once tools are told. */
export const UNDO_STATUSES = ['checking', 'checked', 'applying', 'deleting', 'finished'] as const;

export type UndoStatus = (typeof UNDO_STATUSES)[number];

/** restored: all of it goes back. partly: some of it. kept: nothing. unchanged: nothing is left to undo. */
export const UNDO_VERDICTS = ['restored', 'partly', 'kept', 'unchanged'] as const;

export type UndoVerdict = (typeof UNDO_VERDICTS)[number];

/** What an undo can restore of a customer. */
const UNDO_SUBJECTS = ['list', 'everything', 'email'] as const;

export type UndoSubject = (typeof UNDO_SUBJECTS)[number];

/**
 * Why something stays. chosen_since: the customer chose it later. saved_since: they saved a page that showed it as off.
 * changed_since: your team, a tool or another import changed it later. email_taken: another customer has the previous
 * email. erased, merged: the customer is gone. failed: we could not change it.
 */
export const UNDO_REASONS = [
  'chosen_since',
  'saved_since',
  'changed_since',
  'email_taken',
  'erased',
  'merged',
  'failed',
] as const;

export type UndoReason = (typeof UNDO_REASONS)[number];

export const undoCounts = z
  .object({
    customers: z.number().int().describe('Customers that the bulk change changed.'),
    restored: z.number().int(),
    partly: z.number().int(),
    kept: z.number().int(),
    unchanged: z.number().int(),
    subscribes: z.number().int().describe('Customers who receive something again that they received before.'),
    unsubscribes: z.number().int().describe('Customers who no longer receive something.'),
    new_customers: z
      .number()
      .int()
      .describe('Customers that the bulk change created and that have no other changes. They are deleted.'),
    applied: z.number().int(),
    deleted: z.number().int(),
  })
  .describe('By verdict: from the preview, and once it is applied, of what was actually done.');

export type UndoCounts = z.infer<typeof undoCounts>;

export const bulkUndo = z
  .object({
    status: z.enum(UNDO_STATUSES),
    counts: undoCounts,
    tells: z
      .array(
        z.object({
          action_id: id,
          integration_id: id.nullable(),
          customers: z.number().int().describe('Customers for whom the action changes something.'),
          stays: z
            .number()
            .int()
            .describe(
              'Customers whom the tool keeps as they are, because it had them so before: the bulk change changed nothing of it there. 0 for a webhook or evidence.',
            ),
          unknown: z
            .number()
            .int()
            .describe(
              "Customers whom the tool keeps as they are, because it didn't say whether the bulk change changed anything.",
            ),
          unsent: z
            .number()
            .int()
            .describe(
              "Customers about whom the tool wasn't told of the bulk change. What is waiting to be sent is cancelled.",
            ),
        }),
      )
      .describe('From the preview: what each action does, and where it leaves a tool alone.'),
    started_by: auditActor.nullable(),
    started_at: timestamp.nullable(),
    updated_at: timestamp,
    ended_at: timestamp.nullable(),
  })
  .meta({ id: 'BulkUndo' });

export const bulkChange = z
  .object({
    id: id.describe('Of an import, the ID of the import.'),
    kind: z
      .enum(BULK_CHANGE_KINDS)
      .describe(
        '`import`: an import. `incoming`: at least 20 customers whom one tool changed, without a pause of 10 minutes. `repair`: unsubscribes that were copied from a tool after a comparison. `edit`: at least 20 customers whom one team member or API key changed, without a pause of 10 minutes.',
      ),
    name: z.string().nullable().describe("The name of an import's file."),
    integration_id: id.nullable(),
    actor: auditActor.nullable().describe('Who did it; null if a tool did.'),
    customers: z.number().int(),
    started_at: timestamp,
    ended_at: timestamp,
    is_running: z
      .boolean()
      .describe('It may go on: an import that is being applied, or one whose last change is minutes old.'),
    undo: bulkUndo.nullable().describe('The last preview, or the undo. null: none yet.'),
  })
  .meta({ id: 'BulkChange' });

export const undoneCustomer = z
  .object({
    customer_id: id,
    email: z.string().nullable().describe('null: erased.'),
    verdict: z.enum(UNDO_VERDICTS),
    is_new: z.boolean(),
    restores: z.array(
      z.object({
        about: z.enum(UNDO_SUBJECTS),
        list_id: id.nullable(),
        subscribed: z
          .boolean()
          .nullable()
          .describe('What the customer gets back: of a list or of everything. null: never chosen.'),
      }),
    ),
    keeps: z.array(
      z.object({ about: z.enum(UNDO_SUBJECTS), list_id: id.nullable(), reason: z.enum(UNDO_REASONS) }),
    ),
    choice_id: id.nullable().describe('The evidence of the undo.'),
  })
  .meta({ id: 'UndoneCustomer' });

export type BulkChange = z.infer<typeof bulkChange>;
export type BulkUndo = z.infer<typeof bulkUndo>;
export type UndoneCustomer = z.infer<typeof undoneCustomer>;

export const listBulkChanges = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/bulk-changes`,
  access: 'site',
  tag: 'Bulk changes',
  summary: 'List the bulk changes of the last 30 days, newest first',
  description:
    'Imports, bursts of incoming events, repairs, and many edits by one person or API key: what can be undone. Bursts, repairs and edits are found among the newest 200,000 choices by tools, team members and API keys; imports are always found.',
  params: siteParams,
  status: 200,
  response: collection(bulkChange),
});

export const getBulkChange = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/bulk-changes/{id}`,
  access: 'site',
  tag: 'Bulk changes',
  summary: 'Read a bulk change, with the preview or progress of its undo',
  params: siteItemParams,
  status: 200,
  response: bulkChange,
});

export const previewUndo = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/bulk-changes/{id}/undo/preview`,
  access: 'site',
  needs: 'viewer',
  scopes: ['read', 'write'],
  tag: 'Bulk changes',
  summary: 'Preview the undo of a bulk change',
  description:
    'Works out in the background what would go back and what stays. Changes no customers. You can call it again until you start the undo.',
  params: siteItemParams,
  status: 202,
  response: bulkChange,
  errors: ['conflict'],
});

export const startUndo = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/bulk-changes/{id}/undo`,
  access: 'site',
  tag: 'Bulk changes',
  summary: 'Undo a bulk change',
  description:
    'Needs a preview. Each customer is compared again: what they chose later stays. Actions run, but change in a tool only what the bulk change changed there. The evidence says that the change was undone, and not that the customer chose it.',
  params: siteItemParams,
  body: z.strictObject({
    unsubscribes: z
      .number()
      .int()
      .min(0)
      .describe(
        "As confirmation, how many customers no longer receive something: the preview's `counts.unsubscribes`.",
      ),
  }),
  status: 202,
  response: bulkChange,
  errors: ['conflict', 'invalid_field'],
});

export const listUndoneCustomers = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/bulk-changes/{id}/undo/customers`,
  access: 'site',
  tag: 'Bulk changes',
  summary: 'List what the undo of a bulk change does to each customer',
  params: siteItemParams,
  query: pageQuery.extend({ verdict: z.enum(UNDO_VERDICTS).optional() }),
  status: 200,
  response: collection(undoneCustomer),
});
