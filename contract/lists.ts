import { z } from 'zod';
import { collection, id, language, line, text } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

export const MAX_LISTS_OF_SITE = 200;

export const translation = z.strictObject({ language, name: line(100), description: text(255).default('') });

export const translations = z
  .array(translation)
  .max(8)
  .refine((all) => new Set(all.map((one) => one.language)).size === all.length, {
    error: 'must not name a language twice',
  });

/** Fields of a list that an owner writes. Descriptions: spec section 9, at most 255 characters. */
export const listFields = z.strictObject({
  name: line(100),
  description: text(255).default(''),
  subscription_default_state: z.boolean().default(false),
  translations: translations.default([]),
});

export const list = z
  .object({
    id,
    name: z.string(),
    description: z.string(),
    show_order: z.number().int().describe('Position, from 0.'),
    subscription_default_state: z.boolean(),
    translations: z.array(translation),
  })
  .meta({ id: 'List' });

export type List = z.infer<typeof list>;
export type ListFields = z.infer<typeof listFields>;

export const listLists = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/lists`,
  access: 'site',
  scopes: ['read', 'customers'],
  tag: 'Lists',
  summary: 'The lists of a site, in their order',
  params: siteParams,
  status: 200,
  response: collection(list),
});

export const createList = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/lists`,
  access: 'site',
  tag: 'Lists',
  summary: 'Create a list at the end of the order',
  params: siteParams,
  body: listFields,
  status: 201,
  response: list,
  errors: ['limit_reached'],
});

export const getList = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/lists/{id}`,
  access: 'site',
  tag: 'Lists',
  summary: 'Read a list',
  params: siteItemParams,
  status: 200,
  response: list,
});

export const updateList = defineRoute({
  method: 'PATCH',
  path: `${SITE_PATH}/lists/{id}`,
  access: 'site',
  tag: 'Lists',
  summary: 'Change a list',
  params: siteItemParams,
  body: z.strictObject({
    name: line(100).optional(),
    description: text(255).optional(),
    subscription_default_state: z.boolean().optional(),
    translations: translations.optional(),
  }),
  status: 200,
  response: list,
});

export const deleteList = defineRoute({
  method: 'DELETE',
  path: `${SITE_PATH}/lists/{id}`,
  access: 'site',
  tag: 'Lists',
  summary: 'Delete a list',
  description: 'It leaves every page and its subscriptions go; the evidence about it stays.',
  params: siteItemParams,
  status: 204,
  response: z.null(),
});

export const orderLists = defineRoute({
  method: 'PUT',
  path: `${SITE_PATH}/lists/order`,
  access: 'site',
  tag: 'Lists',
  summary: 'Set the order of all lists',
  params: siteParams,
  body: z.strictObject({ ids: z.array(id).max(MAX_LISTS_OF_SITE) }),
  status: 200,
  response: collection(list),
  errors: ['conflict'],
});
