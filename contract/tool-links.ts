import { z } from 'zod';
import { id, language } from './fields.ts';
import { toolField } from './integrations.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams } from './site-scope.ts';

const pageLinks = z.object({
  page_id: id,
  name: z.string(),
  language: language.describe('Of the snippets: the default language of the page.'),
  by_address: z
    .string()
    .nullable()
    .describe('Opens the page for the address that the tool puts in; null where the page asks for proof.'),
  no_address_reason: z.string().nullable(),
  by_challenge: z
    .string()
    .nullable()
    .describe('Opens the page as proven; null while no field keeps the personal links.'),
  snippet_html: z
    .string()
    .nullable()
    .describe('A paragraph for the footer; null where no link leads there yet.'),
  snippet_text: z.string().nullable(),
});

const keptCounts = z.object({
  customers: z.number().int(),
  kept: z.number().int().describe('Have their link in the tool.'),
  waiting: z.number().int().describe('Get theirs as soon as the tool has been asked for them.'),
  unknown: z.number().int().describe('The tool does not know them; nobody is made there. Asked again later.'),
  failed: z.number().int().describe('The tool refused their link. Tried again every week.'),
});

/** What to put into the mails of a tool. */
export const toolLinks = z
  .object({
    email_merge_tag: z.string(),
    address_note: z.string().describe('How the tool puts an address into a link.'),
    link_field: toolField.nullable(),
    field_merge_tag: z.string().nullable(),
    kept_purpose: z
      .enum(['manage'])
      .nullable()
      .describe(
        'What the kept value proves: it opens every page of the site, and leaves everything at `/u/`. It is renewed after half of the lifetime of links.',
      ),
    leave: z.string().nullable().describe('Leaves everything with one click; null while nothing is kept.'),
    links_kept: keptCounts.nullable().describe('null while nothing is kept.'),
    trouble: z.string().nullable().describe('Why no link can be kept at the moment.'),
    refusal: z.string().nullable().describe('What the tool said to one of those that it refused.'),
    pages: z.array(pageLinks),
  })
  .meta({ id: 'ToolLinks' });

export type ToolLinks = z.infer<typeof toolLinks>;
export type PageLinks = z.infer<typeof pageLinks>;
export type KeptCounts = z.infer<typeof keptCounts>;

export const listToolLinks = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/integrations/{id}/links`,
  access: 'site',
  tag: 'Integrations',
  summary: "The links for a tool's mails, with its merge tags, page by page",
  description:
    'Nothing is asked of the tool. With a `link_field` each customer’s personal link is kept in that field of theirs; it takes the calls of the tool that deliveries leave over.',
  params: siteItemParams,
  status: 200,
  response: toolLinks,
});
