import { z } from 'zod';
import { collection, id, language, timestamp } from './fields.ts';
import { legalBasis, type ListFields } from './lists.ts';
import { pageAttrs } from './preference-pages.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams } from './site-scope.ts';

/** Text as far as it has been typed: anything that a database can hold. */
function typed(max: number) {
  return z
    .string()
    .max(max, { error: `must be at most ${max} characters long` })
    .refine((value) => value.isWellFormed() && !value.includes('\u0000'), {
      error: 'must not contain half characters or NUL',
    });
}

const typedTranslation = z.strictObject({ language, name: typed(400), description: typed(1000) });

const typedWords = {
  name: typed(400),
  description: typed(1000),
  subscription_default_state: z.boolean(),
  double_opt_in: z.boolean(),
  legal_basis: legalBasis.nullable(),
  translations: z.array(typedTranslation).max(8),
} satisfies Record<keyof ListFields, z.ZodType>;

/** The same, also from before some of the fields existed. */
const typedWhole = {
  ...typedWords,
  double_opt_in: typedWords.double_opt_in.default(false),
  legal_basis: typedWords.legal_basis.default(null),
};

const typedAttrs = pageAttrs.extend({
  primary_color: typed(20),
  text_color: typed(20),
  background_color: typed(20),
  tag_subject: typed(400),
  tag_pre_name: typed(400),
  saved_preferences_msg: typed(400),
});

const typedPage = z.strictObject({
  name: typed(400),
  custom_path: typed(400),
  allow_customer_create: z.boolean(),
  favicon: typed(2048),
  logo: typed(2048),
  active_languages: z.array(language).max(8),
  embed_origins: z.array(typed(2048)).max(100),
  attrs: typedAttrs,
});

/** A page's form as it was left: half a colour or an empty name is kept as it is. */
export const draftContent = typedPage.extend({
  lists: z
    .array(
      z.union([
        z.strictObject({ id, ...z.strictObject(typedWords).partial().shape }),
        z.strictObject({ createId: z.string().min(1).max(64), ...typedWhole }),
      ]),
    )
    .max(200)
    .describe('For an unchanged list, its id is enough.'),
});

/** What a page says, or is going to say, with the words of its lists. */
export const pageContent = typedPage.extend({
  lists: z.array(
    z.strictObject({
      id: id.optional(),
      createId: z.string().optional(),
      show_order: z.number().int(),
      ...typedWhole,
    }),
  ),
});

export type DraftContent = z.infer<typeof draftContent>;
export type PageContent = z.infer<typeof pageContent>;

const person = z.object({ id, name: z.string() });

export const pageDraft = z
  .object({
    content: pageContent.describe('Without lists that were deleted since.'),
    base_version: z.number().int().describe('The page version the draft started from.'),
    revision: z.number().int().describe('Increases by one with every save.'),
    editor_id: z.string().nullable().describe('The `editor_id` of the last save; null: none was sent.'),
    saved_by: person.nullable().describe('null: the account is gone.'),
    saved_at: timestamp,
  })
  .meta({ id: 'PageDraft' });

export type PageDraft = z.infer<typeof pageDraft>;

/** `data` of a 409: what is there now. */
export const draftConflict = z.object({
  version: z.number().int(),
  published_by: person.nullable(),
  draft: pageDraft.omit({ content: true }).nullable(),
});

export type DraftConflict = z.infer<typeof draftConflict>;

/** Of a page itself, what can be different between two versions. */
export const PAGE_FIELDS = [
  'name',
  'custom_path',
  'allow_customer_create',
  'favicon',
  'logo',
  'active_languages',
  'embed_origins',
] as const satisfies (keyof PageContent)[];

/** Of its `attrs`. */
export const PAGE_ATTRS = [
  'primary_color',
  'text_color',
  'background_color',
  'template_id',
  'language',
  'allow_email_change',
  'unsubscribe_all',
  'enhanced_security',
  'remove_badge',
  'confirm_links',
  'confirm_changes',
  'offer_pause',
  'tag_subject',
  'tag_pre_name',
  'saved_preferences_msg',
] as const satisfies (keyof PageContent['attrs'])[];

/** What can be different between two versions; fields of the page by their names. */
export const PAGE_CHANGES = [
  ...PAGE_FIELDS,
  ...PAGE_ATTRS,
  'lists_added',
  'lists_removed',
  'lists_order',
  'lists_words',
] as const;

const pageChange = z.object({
  what: z.enum(PAGE_CHANGES),
  lists: z.array(z.string()).describe('The names of the lists that changed.'),
});

export type PageChange = z.infer<typeof pageChange>;

export const pageVersion = z
  .object({
    version: z.number().int(),
    saved_at: timestamp,
    saved_by: person.nullable().describe('null: unknown.'),
    changes: z.array(pageChange).describe('Compared with the previous version.'),
  })
  .meta({ id: 'PageVersion' });

export type PageVersion = z.infer<typeof pageVersion>;

export const KEPT_VERSIONS = 50;

const PAGE_PATH = `${SITE_PATH}/preference-pages/{id}` as const;

export const getPageDraft = defineRoute({
  method: 'GET',
  path: `${PAGE_PATH}/draft`,
  access: 'site',
  tag: 'Preference pages',
  summary: 'Read the draft of a preference page',
  params: siteItemParams,
  status: 200,
  response: z.object({ draft: pageDraft.nullable() }),
});

export const savePageDraft = defineRoute({
  method: 'PUT',
  path: `${PAGE_PATH}/draft`,
  access: 'site',
  tag: 'Preference pages',
  summary: 'Save the draft of a preference page',
  description:
    "Visitors don't see drafts. `revision` is that of the draft it replaces, null if there is none. If someone else saved or published in the meantime, this answers 409 `conflict` with the current state in `data`. Replace the page with `draft_revision` to publish it.",
  params: siteItemParams,
  body: z.strictObject({
    content: draftContent,
    base_version: z.number().int().min(1),
    revision: z.number().int().min(1).nullable(),
    editor_id: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        'Chosen by the caller for one editing session. If a save gets no response, this value in the draft or in the `data` of a 409 shows that the draft is your own.',
      ),
  }),
  status: 200,
  response: pageDraft,
  errors: ['conflict'],
});

export const discardPageDraft = defineRoute({
  method: 'DELETE',
  path: `${PAGE_PATH}/draft`,
  access: 'site',
  tag: 'Preference pages',
  summary: 'Discard the draft of a preference page',
  params: siteItemParams,
  query: z.strictObject({
    revision: z.coerce.number().int().min(1).describe('The revision of the draft to discard.'),
  }),
  status: 204,
  response: z.null(),
  errors: ['conflict'],
});

export const listPageVersions = defineRoute({
  method: 'GET',
  path: `${PAGE_PATH}/versions`,
  access: 'site',
  tag: 'Preference pages',
  summary: `List the last ${KEPT_VERSIONS} published versions of a preference page, newest first`,
  params: siteItemParams,
  status: 200,
  response: collection(pageVersion),
});

export const getPageVersion = defineRoute({
  method: 'GET',
  path: `${PAGE_PATH}/versions/{version}`,
  access: 'site',
  tag: 'Preference pages',
  summary: 'Read a published version of a preference page',
  params: siteItemParams.extend({ version: z.coerce.number().int().min(1).max(2_147_483_647) }),
  status: 200,
  response: pageVersion.extend({ content: pageContent }).meta({ id: 'PageVersionWithContent' }),
});

export const sendOwnLink = defineRoute({
  method: 'POST',
  path: `${PAGE_PATH}/own-link`,
  access: 'site',
  scopes: [],
  tag: 'Preference pages',
  summary: 'Email yourself a personal link to a preference page',
  description:
    "The link is for the customer with your account's email, who is created if needed. At most 5 an hour.",
  params: siteItemParams,
  status: 202,
  response: z.object({ email: z.string() }),
  errors: ['rate_limited'],
});

export const mintOwnLink = defineRoute({
  method: 'POST',
  path: `${PAGE_PATH}/own-link/open`,
  access: 'site',
  scopes: [],
  tag: 'Preference pages',
  summary: 'Create a personal link to a preference page for yourself',
  description:
    "Opens the page as the customer with your account's email, who is created if needed. Changes no subscription.",
  params: siteItemParams,
  status: 201,
  response: z.object({ preference_url: z.string() }),
});
