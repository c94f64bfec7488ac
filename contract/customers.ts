import { z } from 'zod';
import { collection, email, id, lookup, pageQuery, timestamp } from './fields.ts';
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
    links_ended_at: timestamp
      .nullable()
      .describe('When their personal links were last ended. Older links can only unsubscribe.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Customer' });

export type Customer = z.infer<typeof customer>;

/** One customer, looked at alone. */
export const customerDetails = customer
  .extend({
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

export const listCustomers = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customers`,
  access: 'site',
  scopes: ['read', 'customers'],
  tag: 'Customers',
  summary: 'List or search the customers of a site',
  description: 'With `search`, sorted by email. Without it, newest first.',
  params: siteParams,
  query: pageQuery.extend({
    search: lookup(254).optional().describe('Start of the email.'),
  }),
  status: 200,
  response: collection(customer),
});

export const createCustomer = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/customers`,
  access: 'site',
  scopes: ['customers'],
  tag: 'Customers',
  summary: 'Create a customer',
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
  body: z.strictObject({
    custom_path: customPath.optional().describe("The page to open; default: the site's oldest page."),
    list_id: id.optional(),
  }),
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
