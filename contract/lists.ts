import { z } from 'zod';
import { collection, givenTimestamp, id, language, line, text, timestamp, withDefaults } from './fields.ts';
import { override } from './page-checks.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

export const MAX_LISTS_OF_SITE = 200;

/** On what an owner may write to the people of a list. null: not stated. */
export const LEGAL_BASES = ['consent', 'soft_opt_in', 'contract', 'legitimate_interest'] as const;
export type LegalBasis = (typeof LEGAL_BASES)[number];

export const legalBasis = z.enum(LEGAL_BASES);

export const translation = z.strictObject({ language, name: line(100), description: text(255).default('') });

export const translations = z
  .array(translation)
  .max(8)
  .refine((all) => new Set(all.map((one) => one.language)).size === all.length, {
    error: 'must not contain a language twice',
  });

/** What an owner writes of a list. Descriptions: spec section 9, at most 255 characters. */
const written = {
  name: line(100),
  description: text(255),
  subscription_default_state: z.boolean().describe('Not together with `double_opt_in`.'),
  double_opt_in: z
    .boolean()
    .describe(
      'People who switch it on are subscribed once they open the link we email them and click the button there.',
    ),
  legal_basis: legalBasis
    .nullable()
    .describe(
      'Why you may send it: `consent`; `soft_opt_in`, an existing customer who was told they can object; `contract`; or `legitimate_interest`. null: not stated. Recorded with each choice.',
    ),
  translations,
};

/** Of a new list, where the owner says nothing. */
export const LIST_DEFAULTS: Omit<ListFields, 'name'> = {
  description: '',
  subscription_default_state: false,
  double_opt_in: false,
  legal_basis: null,
  translations: [],
};

export const listFields = z.strictObject(withDefaults(written, LIST_DEFAULTS));

/** What is missing stays as it is. */
export const listChanges = z.strictObject(written).partial();

/** As a page shows it. */
export const shownList = z.object({
  id,
  name: z.string(),
  description: z.string(),
  show_order: z.number().int().describe('Position, from 0.'),
  subscription_default_state: z.boolean(),
  double_opt_in: z.boolean(),
  legal_basis: legalBasis.nullable(),
  translations: z.array(translation),
});

export const list = shownList.extend({ updated_at: timestamp }).meta({ id: 'List' });

export type List = z.infer<typeof list>;
export type ShownList = z.infer<typeof shownList>;
export type ListFields = { [Field in keyof typeof written]: z.output<(typeof written)[Field]> };
export type NewList = Pick<ListFields, 'name'> & Partial<ListFields>;
export type ListChanges = z.output<typeof listChanges>;

export const LIST_FIELDS = ['name', ...Object.keys(LIST_DEFAULTS)] as (keyof ListFields)[];

/** Is it on before anyone asked for it, though only what people confirm counts? */
export function isUnconfirmedDefault({
  subscription_default_state: isOn,
  double_opt_in: isConfirmed,
}: Pick<ListFields, 'subscription_default_state' | 'double_opt_in'>): boolean {
  return isOn && isConfirmed;
}

/** Of anything that has them, the fields that an owner writes. */
export function listFieldsIn<Given extends ListChanges>(
  given: Given,
): Pick<Given, keyof Given & keyof ListFields> {
  const said = LIST_FIELDS.filter((field) => given[field] !== undefined);
  return Object.fromEntries(said.map((field) => [field, given[field]])) as Pick<
    Given,
    keyof Given & keyof ListFields
  >;
}

export const listLists = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/lists`,
  access: 'site',
  scopes: ['read', 'customers'],
  tag: 'Lists',
  summary: 'List the lists of a site, in order',
  params: siteParams,
  status: 200,
  response: collection(list),
});

export const createList = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/lists`,
  access: 'site',
  tag: 'Lists',
  summary: 'Create a list, last in order',
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
  description:
    'Answers 422 `checks_failed` where law or accessibility forbids what a preference page that shows the list would become: on by default with the legal basis consent, or without a translation into a language of the page. `data.checks` names each. With `override`, the change is made anyway, and the audit log stores why. What the published pages already have is not checked again. With `updated_at`, this answers 409 `conflict` if someone else changed the list in the meantime.',
  params: siteItemParams,
  body: listChanges.extend({
    override: override.optional(),
    updated_at: givenTimestamp.optional().describe('Of the list as you read it.'),
  }),
  status: 200,
  response: list,
  errors: ['checks_failed', 'conflict'],
});

export const deleteList = defineRoute({
  method: 'DELETE',
  path: `${SITE_PATH}/lists/{id}`,
  access: 'site',
  tag: 'Lists',
  summary: 'Delete a list',
  description: 'Removes it from every page and deletes its subscriptions. Its evidence stays.',
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
