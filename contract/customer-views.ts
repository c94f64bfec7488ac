import { z } from 'zod';
import { customerFilter } from './customers.ts';
import { collection, id, line, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

export const MAX_VIEWS_OF_SITE = 50;
export const MAX_VIEW_NAME = 60;

const name = line(MAX_VIEW_NAME);

/** Never a search: it may be somebody's email, which an erasure would have to find here. */
const filter = customerFilter.refine((given) => Object.values(given).some((value) => value !== undefined), {
  error: 'must have at least one filter',
});

export const customerView = z
  .object({
    id,
    name: z.string(),
    filter: customerFilter,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'CustomerView' });

export type CustomerView = z.infer<typeof customerView>;

export const listCustomerViews = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customer-views`,
  access: 'site',
  tag: 'Customers',
  summary: 'List the saved views of a site, by name',
  description: "A saved view is a named set of filters that everyone in the site's team can open.",
  params: siteParams,
  status: 200,
  response: collection(customerView),
});

export const createCustomerView = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/customer-views`,
  access: 'site',
  tag: 'Customers',
  summary: 'Save a view',
  params: siteParams,
  body: z
    .strictObject({ name, filter })
    .meta({ examples: [{ name: 'Unsubscribed', filter: { state: 'unsubscribed' } }] }),
  status: 201,
  response: customerView,
  errors: ['name_taken', 'limit_reached'],
});

export const updateCustomerView = defineRoute({
  method: 'PATCH',
  path: `${SITE_PATH}/customer-views/{id}`,
  access: 'site',
  tag: 'Customers',
  summary: 'Rename a saved view, or change its filters',
  params: siteItemParams,
  body: z.strictObject({ name, filter }).partial(),
  status: 200,
  response: customerView,
  errors: ['name_taken'],
});

export const deleteCustomerView = defineRoute({
  method: 'DELETE',
  path: `${SITE_PATH}/customer-views/{id}`,
  access: 'site',
  tag: 'Customers',
  summary: 'Delete a saved view',
  params: siteItemParams,
  status: 204,
  response: z.null(),
});
