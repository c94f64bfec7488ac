import { z } from 'zod';
import { collection, id, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams } from './site-scope.ts';

/**
 * What can wait for a click in an email: coming back to what was left, another address, and subscribing to a list with
 * double opt-in. In the order of their numbers in emailed links: new ones come last.
 */
export const PENDING_KINDS = ['resubscribe', 'email_change', 'subscribe'] as const;
export type PendingKind = (typeof PENDING_KINDS)[number];

export const pendingChanges = z
  .array(
    z.object({
      kind: z.enum(PENDING_KINDS),
      until: timestamp,
      list_ids: z
        .array(id)
        .optional()
        .describe('Not of kind `email_change`: the lists that the customer still has to confirm.'),
    }),
  )
  .describe('Requested, and only applied once it is confirmed with the link in an email.');

export type PendingChange = z.infer<typeof pendingChanges>[number];

export const listPendingChanges = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customers/{id}/pending-changes`,
  access: 'site',
  scopes: ['read', 'customers'],
  tag: 'Customers',
  summary: "List a customer's pending changes",
  description:
    'Changes they still have to confirm by email: subscriptions to lists with `double_opt_in` (kind `subscribe`), and what pages with `confirm_changes` require. Without expired and canceled ones.',
  params: siteItemParams,
  status: 200,
  response: collection(
    z
      .object({
        kind: z.enum(PENDING_KINDS),
        until: timestamp,
        requested_at: timestamp,
        ip: z.string().nullable().describe("The requester's IP address, anonymized as in evidence."),
        everything: z.boolean().describe('Requests emails again after unsubscribing from all.'),
        lists: z.array(z.object({ list_id: id, name: z.string() })).describe('The lists to subscribe to.'),
        email: z.string().nullable().describe('The new address of an `email_change`.'),
      })
      .meta({ id: 'PendingChange' }),
  ),
});
