import { z } from 'zod';
import { embedOrigins } from './embedding.ts';
import { collection, colour, id, imageUrl, language, line, timestamp } from './fields.ts';
import { withoutAccents } from './latin.ts';
import { listChanges, listFields, shownList } from './lists.ts';
import { operator } from './operator.ts';
import { override } from './page-checks.ts';
import { pendingChanges } from './pending-changes.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';
import { warnings } from './warnings.ts';

export const TEMPLATE_IDS = ['default_preference_page', 'stacked_marketer_template'] as const;

/** Look and behaviour of a page; the defaults are the spec's (section 3). */
export const pageAttrs = z.strictObject({
  primary_color: colour.default('#009AD0'),
  text_color: colour.default('#2C3D20'),
  background_color: colour.default('#F8F8F8'),
  template_id: z.enum(TEMPLATE_IDS).default('default_preference_page'),
  language: language.default('en'),
  allow_email_change: z.boolean().default(true),
  unsubscribe_all: z.boolean().default(true),
  enhanced_security: z.boolean().default(false),
  remove_badge: z.boolean().default(false),
  confirm_links: z
    .boolean()
    .default(false)
    .describe('Require a click before a `state=` link changes anything.'),
  confirm_changes: z
    .boolean()
    .default(false)
    .describe(
      'Visitors who only typed an email must confirm by email before they can resubscribe or change the email.',
    ),
  offer_pause: z
    .boolean()
    .default(false)
    .describe('Offer to pause all emails for 30, 60 or 90 days instead of unsubscribing.'),
  tag_subject: line(200, 0).default('').describe("Replaces 'Update your preferences'."),
  tag_pre_name: line(50, 0).default('').describe("Replaces 'for ' before the page's name."),
  saved_preferences_msg: line(200, 0).default('').describe("Replaces 'Your preferences have been saved'."),
});

/** Paths that the product itself answers on a site's host, and that a page therefore cannot have. */
export const RESERVED_PATHS = [
  '404',
  'u',
  'api',
  'docs',
  'dev',
  'hooks',
  'assets',
  'images',
  'avatars',
  'healthz',
  'readyz',
  'metrics',
  'login',
  'signup',
  'signup-survey',
  'account-settings',
  'user',
  'dashboard',
  'preference-pages',
  'lists',
  'integrations',
  'actions',
  'deliveries',
  'customers',
  'imports',
  'evidence',
  'create-list',
  'edit-preference-page',
  'create-preference-page',
  'site-settings',
  'email-check',
  'complaints',
  'bulk-changes',
  'confirm',
  'set-up-second-factor',
  'undo',
  'restore',
  'resubscribed',
  'data',
  'reset-password',
  'accept-invitation',
  'favicon.ico',
  'robots.txt',
  'sitemap.xml',
  '.well-known',
  'static',
  'public',
  'embed',
  'ask',
] as const;

export const customPath = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, {
    error: 'must be 1 to 63 letters, digits or hyphens, and not start or end with a hyphen',
  })
  .meta({ examples: ['preferences'] });

/** A path from a page's name: `Ski & Sun news` gives `ski-sun-news`. */
export function suggestedPath(name: string): string {
  return withoutAccents(name)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-|-$/g, '');
}

/** Parts of an answer that may be sent back as they came; they are not looked at. */
const READ_ONLY_OF_LIST = { show_order: z.number().optional().meta({ readOnly: true }) };
const READ_ONLY_OF_PAGE = {
  id: z.string().optional().meta({ readOnly: true }),
  url: z.string().optional().meta({ readOnly: true }),
  updated_at: z.string().optional().meta({ readOnly: true }),
  draft_saved_at: z.string().nullable().optional().meta({ readOnly: true }),
  warnings: z.array(z.unknown()).optional().meta({ readOnly: true }),
};

export const MAX_LISTS_OF_PAGE = 50;

/** One list in a page's form: an existing one by `id`, with the fields to change; a new one by `createId`. */
export const pageListInput = z.union([
  z.strictObject({
    id,
    ...READ_ONLY_OF_LIST,
    ...listChanges.shape,
  }),
  z.strictObject({
    ...READ_ONLY_OF_LIST,
    createId: z.string().min(1).max(64).describe("Your own identifier for a list that isn't saved yet."),
    ...listFields.shape,
  }),
]);

const IMAGE_HELP =
  'The `url` of an uploaded image, or any https URL: we fetch it once, when the page is saved, and store it.';

export const preferencePageFields = z.strictObject({
  name: line(100),
  custom_path: customPath,
  allow_customer_create: z.boolean().default(false),
  favicon: imageUrl.default('').describe(IMAGE_HELP),
  logo: imageUrl.default('').describe(IMAGE_HELP),
  active_languages: z.array(language).max(8).default([]).describe('In addition to the default language.'),
  embed_origins: embedOrigins.default([]),
  attrs: pageAttrs.prefault({}),
  lists: z.array(pageListInput).max(MAX_LISTS_OF_PAGE).default([]).describe('In display order.'),
});

export const preferencePage = z
  .object({
    id,
    name: z.string(),
    url: z.string(),
    custom_path: z.string(),
    allow_customer_create: z.boolean(),
    favicon: z.string(),
    logo: z.string(),
    active_languages: z.array(language),
    embed_origins: z.array(z.string()),
    attrs: pageAttrs,
    lists: z.array(shownList.extend({ createId: z.string().optional() })),
    version: z.number().int().describe('Increases by one with every save.'),
    updated_at: timestamp,
    warnings,
  })
  .meta({ id: 'PreferencePage' });

/** A page among the others of its site. */
export const listedPreferencePage = preferencePage
  .extend({
    draft_saved_at: timestamp
      .nullable()
      .describe('When its unpublished draft was last saved; null: no draft.'),
  })
  .meta({ id: 'ListedPreferencePage' });

export type PageAttrs = z.infer<typeof pageAttrs>;
export type PageListInput = z.infer<typeof pageListInput>;
export type PreferencePageFields = z.infer<typeof preferencePageFields>;
export type PreferencePage = z.infer<typeof preferencePage>;
export type ListedPreferencePage = z.infer<typeof listedPreferencePage>;

export const listPreferencePages = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/preference-pages`,
  access: 'site',
  tag: 'Preference pages',
  summary: 'List the preference pages of a site',
  params: siteParams,
  status: 200,
  response: collection(listedPreferencePage),
});

const CHECKS_HELP =
  'Answers 422 `checks_failed` where law or accessibility forbids what the page would become: no way to unsubscribe from all, a text or accent color below 3:1 on the background, a list without a translation into an active language, or a list that is on by default with the legal basis consent. The same goes for other pages that show a list that this changes. `data.checks` names each. With `override`, it is published all the same, and the audit log stores why. What the published pages already have is not checked again.';

export const createPreferencePage = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/preference-pages`,
  access: 'site',
  tag: 'Preference pages',
  summary: 'Create a preference page',
  params: siteParams,
  description: CHECKS_HELP,
  body: preferencePageFields.extend({ override: override.optional() }),
  status: 201,
  response: preferencePage,
  errors: ['path_taken', 'reserved_name', 'limit_reached', 'checks_failed'],
});

export const getPreferencePage = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/preference-pages/{id}`,
  access: 'site',
  tag: 'Preference pages',
  summary: 'Read a preference page',
  params: siteItemParams,
  status: 200,
  response: preferencePage,
});

export const replacePreferencePage = defineRoute({
  method: 'PUT',
  path: `${SITE_PATH}/preference-pages/{id}`,
  access: 'site',
  tag: 'Preference pages',
  summary: 'Replace a preference page with its lists',
  description:
    'You can change the GET response and send it back as a whole. With `version`, this answers 409 `conflict` if someone else saved the page in the meantime. With `draft_revision`, the draft is published and ends (null: no draft). Without it, a draft stays as it is. ' +
    CHECKS_HELP,
  params: siteItemParams,
  body: preferencePageFields.extend({
    ...READ_ONLY_OF_PAGE,
    version: z.number().int().min(1).optional(),
    draft_revision: z.number().int().min(1).nullable().optional(),
    override: override.optional(),
  }),
  status: 200,
  response: preferencePage,
  errors: ['path_taken', 'reserved_name', 'conflict', 'limit_reached', 'checks_failed'],
});

export const deletePreferencePage = defineRoute({
  method: 'DELETE',
  path: `${SITE_PATH}/preference-pages/{id}`,
  access: 'site',
  tag: 'Preference pages',
  summary: 'Delete a preference page; its lists stay',
  params: siteItemParams,
  status: 204,
  response: z.null(),
});

/** A list as the public page shows it; `subscribed` is null until the customer chose. */
export const publicList = z.object({ ...shownList.shape, show_order: z.number().int() });

/** The page as its visitors may know it. */
export const publicPage = z
  .object({
    name: z.string(),
    logo: z.string().describe("On the page's host, or empty."),
    logo_size: z
      .object({ width: z.number().int(), height: z.number().int() })
      .nullable()
      .describe('In pixels, to reserve space before the logo loads.'),
    favicon: z.string().describe("On the page's host, or empty."),
    lists: z.array(publicList).describe('Sorted by show_order.'),
    attrs: pageAttrs,
    languages: z.object({ default: language, active_languages: z.array(language) }),
    operator: operator.nullable().describe("Who operates the page; null if the site doesn't say."),
  })
  .meta({ id: 'PublicPage' });

export const customerPage = publicPage
  .extend({
    lists: z.array(publicList.extend({ subscribed: z.boolean().nullable() })),
    pending: pendingChanges,
  })
  .meta({ id: 'CustomerPage' });

export type PublicPage = z.infer<typeof publicPage>;
export type CustomerPage = z.infer<typeof customerPage>;
