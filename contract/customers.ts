import { z } from 'zod';
import { collection, email, givenTimestamp, id, lookup, pageQuery, testFilter, timestamp } from './fields.ts';
import { customPath } from './preference-pages.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

export const customer = z
  .object({
    id,
    email: z.string(),
    global_unsubscribe: z.boolean(),
    paused_until: timestamp
      .nullable()
      .describe('Receives nothing until then. Their previous subscriptions then resume automatically.'),
    wrong_recipient_at: timestamp
      .nullable()
      .describe(
        "When the person who reads this inbox said that they aren't this customer. Everything is off since then, which isn't the customer's choice. null again once the customer makes a choice, someone resubscribes them, or the email changes.",
      ),
    links_ended_at: timestamp
      .nullable()
      .describe('When their personal links were last ended. Older links can only unsubscribe.'),
    test: z
      .boolean()
      .describe("The email is one of the site's test addresses: their changes are never sent."),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Customer' });

export type Customer = z.infer<typeof customer>;

const receives = z
  .array(id)
  .describe('IDs of the lists that they chose and receive. Empty while unsubscribed from all or paused.');

/** A single customer. */
export const customerDetails = customer
  .extend({
    receives,
    email_bounce: z
      .object({
        at: timestamp,
        status: z.number().int().describe('SMTP status, such as 550.'),
        reply: z.string().describe('What the mail server said.'),
      })
      .nullable()
      .describe(
        'Set if the mail server permanently rejected the last email to them from this site; null again once one is accepted.',
      ),
  })
  .meta({ id: 'CustomerDetails' });

export type CustomerDetails = z.infer<typeof customerDetails>;

/** One list's wish, as pages and owners send it. */
export const listPreference = z.strictObject({ notification_list_id: id, subscribed: z.boolean() });

export const listPreferences = z
  .array(listPreference)
  .min(1, { error: 'must have at least one list' })
  .max(200)
  .refine((all) => new Set(all.map((one) => one.notification_list_id)).size === all.length, {
    error: 'must not contain a list twice',
  });

export type ListPreference = z.infer<typeof listPreference>;

export const customerList = z.object({
  notification_list_id: id,
  name: z.string(),
  subscribed: z.boolean().nullable().describe('null: never chosen.'),
  changed_at: timestamp.nullable(),
});

/** What a customer is, as owners look for it; each customer is one of them. */
export const CUSTOMER_STATES = ['active', 'unsubscribed', 'paused', 'wrong_recipient', 'bounced'] as const;
export type CustomerState = (typeof CUSTOMER_STATES)[number];

/** Filters for customers, without the search; what a saved view stores. A customer must match all of them. */
export const customerFilter = z.strictObject({
  receives_list_id: id.optional().describe('Only customers who chose this list and receive it.'),
  left_list_id: id
    .optional()
    .describe('Only customers who unsubscribed from this list, or declined it when they first chose.'),
  state: z
    .enum(CUSTOMER_STATES)
    .optional()
    .describe(
      '`unsubscribed`: from all, for good. `paused`: from all, until a date. `wrong_recipient`: stopped, because the inbox belongs to someone else. `bounced`: none of these, but their mail server permanently rejected our last email. `active`: none of these.',
    ),
  undelivered_to: id
    .optional()
    .describe(
      'ID of an integration. Only customers with a delivery to this tool that is waiting or has failed: the tool may not know what they chose.',
    ),
  added_since: givenTimestamp.optional().describe('Only customers added since.'),
  changed_since: givenTimestamp.optional().describe('Only customers with a change since.'),
  test: testFilter.describe('`true`: only test customers. `false`: all others.'),
});

export type CustomerFilter = z.infer<typeof customerFilter>;

export const customerQuery = customerFilter.extend({
  search: lookup(254)
    .optional()
    .describe(
      'Part of the email; `match` says which part. To look up one email, compare it with `email` of the results.',
    ),
  match: z
    .enum(['start', 'anywhere'])
    .optional()
    .describe(
      '`start` (default): emails that start with `search`, sorted by email, so an exact match is first. `anywhere`: after those, emails that contain it, newest customers first.',
    ),
});

export type CustomerQuery = z.infer<typeof customerQuery>;

/** One customer among others. */
export const listedCustomer = customer
  .extend({
    receives,
    declines: z
      .array(id)
      .describe('IDs of the lists that they turned off. No choice yet: this and `receives` are empty.'),
    email_bounced_at: timestamp
      .nullable()
      .describe('When their mail server permanently rejected our last email to this address.'),
  })
  .meta({ id: 'ListedCustomer' });

export type ListedCustomer = z.infer<typeof listedCustomer>;

export const listCustomers = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customers`,
  access: 'site',
  scopes: ['read', 'customers'],
  tag: 'Customers',
  summary: 'List, filter or search the customers of a site',
  description:
    'Newest first; with `search`, sorted by email. With a filter or `match=anywhere`, one call looks at 100,000 customers at most. So a page may have fewer rows than `limit`, or none, and still a `next`, which continues with older customers.',
  params: siteParams,
  query: pageQuery.extend(customerQuery.shape),
  status: 200,
  response: collection(listedCustomer),
});

export const countCustomers = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customers/count`,
  access: 'site',
  scopes: ['read', 'customers'],
  tag: 'Customers',
  summary: 'Count the customers that match',
  params: siteParams,
  query: customerQuery,
  status: 200,
  response: z
    .object({
      count: z.number().int(),
      is_exact: z
        .boolean()
        .describe(
          'false: at least `count`. Counting stops at 10,000 matches, and after the newest 100,000 customers.',
        ),
    })
    .meta({ id: 'CustomerCount' }),
});

export const createCustomer = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/customers`,
  access: 'site',
  scopes: ['customers'],
  tag: 'Customers',
  summary: 'Create a customer',
  description:
    'Takes every email that a mail server takes. We remove invisible characters, `mailto:`, `Name <…>`, needless quotes and one `.`, `;` or `,` at the end. If a customer already has the email, in whatever spelling, `data.customer_id` of the error is the ID of that customer.',
  params: siteParams,
  body: z.strictObject({ email }),
  status: 201,
  response: customer,
  errors: ['error_exists'],
});

export const getCustomer = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customers/{id}`,
  access: 'site',
  scopes: ['read', 'customers'],
  tag: 'Customers',
  summary: 'Read a customer',
  params: siteItemParams,
  status: 200,
  response: customerDetails,
});

export const updateCustomer = defineRoute({
  method: 'PATCH',
  path: `${SITE_PATH}/customers/{id}`,
  access: 'site',
  scopes: ['customers'],
  tag: 'Customers',
  summary: "Change a customer's email or unsubscribe them from all",
  params: siteItemParams,
  body: z.union([z.strictObject({ email }), z.strictObject({ global_unsubscribe: z.boolean() })]),
  status: 200,
  response: customer,
  errors: ['error_exists'],
});

export const deleteCustomer = defineRoute({
  method: 'DELETE',
  path: `${SITE_PATH}/customers/{id}`,
  access: 'site',
  scopes: ['customers'],
  tag: 'Customers',
  summary: 'Erase a customer',
  description: 'Deletes the email and subscriptions. The evidence stays, without the readable email.',
  params: siteItemParams,
  status: 204,
  response: z.null(),
});

export const getCustomerLists = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customers/{id}/lists`,
  access: 'site',
  scopes: ['read', 'customers'],
  tag: 'Customers',
  summary: "Read a customer's state for each list of the site",
  params: siteItemParams,
  status: 200,
  response: collection(customerList),
});

export const setCustomerLists = defineRoute({
  method: 'PUT',
  path: `${SITE_PATH}/customers/{id}/lists`,
  access: 'site',
  scopes: ['customers'],
  tag: 'Customers',
  summary: "Record a customer's choice on their behalf",
  description:
    'If the customer has unsubscribed from all (`global_unsubscribe`), switching a list on resubscribes them to that list alone. Read it first, and only do this if they asked for it.',
  params: siteItemParams,
  body: listPreferences,
  status: 200,
  response: collection(customerList),
});

export const endLinks = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/customers/{id}/links/end`,
  access: 'site',
  scopes: ['customers'],
  tag: 'Customers',
  summary: 'End all personal links of a customer',
  description:
    'Existing links can then only unsubscribe or request a new link by email. One-click links keep working.',
  params: siteItemParams,
  status: 200,
  response: customer,
});

export const mintLinks = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/customers/{id}/links`,
  access: 'site',
  scopes: ['customers'],
  tag: 'Customers',
  summary: 'Create personal links for a customer',
  description:
    'Put `preference_url` in your email and add both headers. The one-click link unsubscribes from `list_id`, or from all if you leave it out, and never expires. The page link proves the customer until `expires_at`.',
  params: siteItemParams,
  body: z
    .strictObject({
      custom_path: customPath.optional().describe("The page to open; default: the site's oldest page."),
      list_id: id.optional(),
    })
    // May be left out: a link to the oldest page.
    .prefault({})
    .meta({ examples: [{ custom_path: 'preferences', list_id: '0198c0de-7000-7000-8000-000000000000' }] }),
  status: 201,
  response: z
    .object({
      challenge: z.string(),
      preference_url: z.string(),
      one_click_url: z.string(),
      expires_at: timestamp.describe(
        'When `challenge` and `preference_url` stop proving the customer and can only unsubscribe. `one_click_url` never expires.',
      ),
      headers: z.object({ 'List-Unsubscribe': z.string(), 'List-Unsubscribe-Post': z.string() }),
    })
    .meta({ id: 'Links' }),
});
