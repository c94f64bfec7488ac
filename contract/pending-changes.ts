import { z } from 'zod';
import { collection, id, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams } from './site-scope.ts';

/** What can wait for a click in an email: coming back to what was left, and another address. */
export const PENDING_KINDS = ['resubscribe', 'email_change'] as const;
export type PendingKind = (typeof PENDING_KINDS)[number];

export const pendingChanges = z
  .array(z.object({ kind: z.enum(PENDING_KINDS), until: timestamp }))
  .describe('Asked for, and done only once the link in an email is opened and confirmed.');

export type PendingChange = z.infer<typeof pendingChanges>[number];

export const listPendingChanges = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customers/{id}/pending-changes`,
  access: 'site',
  scopes: ['read', 'customers'],
  tag: 'Customers',
  summary: 'What a customer asked for and has not confirmed by email yet',
  description:
    'Only pages with `confirm_changes` make people confirm. What expired or was cancelled is left out.',
  params: siteItemParams,
  status: 200,
  response: collection(
    z
      .object({
        kind: z.enum(PENDING_KINDS),
        until: timestamp,
        requested_at: timestamp,
        ip: z.string().nullable().describe('Who asked; anonymised as in evidence.'),
        everything: z.boolean().describe('Asks to receive emails again after leaving everything.'),
        lists: z
          .array(z.object({ list_id: id, name: z.string() }))
          .describe('The lists to subscribe to again.'),
        email: z.string().nullable().describe('The new address of an `email_change`.'),
      })
      .meta({ id: 'PendingChange' }),
  ),
});
