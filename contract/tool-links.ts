import { z } from 'zod';
import { id, language } from './fields.ts';
import { toolField } from './integrations.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams } from './site-scope.ts';

const pageLinks = z.object({
  page_id: id,
  name: z.string(),
  language: language.describe("Language of the snippets: the page's default language."),
  by_address: z
    .string()
    .nullable()
    .describe(
      'Opens the page for the email that the tool inserts; null if the page requires a personal link.',
    ),
  no_address_reason: z.string().nullable(),
  by_challenge: z
    .string()
    .nullable()
    .describe('Opens the page as proven; null while no field stores the personal links.'),
  snippet_html: z
    .string()
    .nullable()
    .describe('A paragraph for the email footer; null if there is no link yet.'),
  snippet_text: z.string().nullable(),
});

const keptCounts = z.object({
  customers: z.number().int(),
  kept: z.number().int().describe('Customers with a link in the tool.'),
  waiting: z.number().int().describe('Customers we still have to look up in the tool.'),
  unknown: z
    .number()
    .int()
    .describe("Customers the tool doesn't know. We don't create them there and check again later."),
  failed: z.number().int().describe('Customers whose link the tool rejected. Retried weekly.'),
});

/** What to put into the mails of a tool. */
export const toolLinks = z
  .object({
    email_merge_tag: z.string(),
    address_note: z.string().describe('How the tool inserts an email into a link.'),
    link_field: toolField.nullable(),
    field_merge_tag: z.string().nullable(),
    kept_purpose: z
      .enum(['manage'])
      .nullable()
      .describe(
        'What the stored value can do: it opens every page of the site and, at `/u/`, unsubscribes from all. We renew it after half of the link lifetime.',
      ),
    leave: z
      .string()
      .nullable()
      .describe('Unsubscribes from all with one click; null while nothing is stored.'),
    links_kept: keptCounts.nullable().describe('null while nothing is stored.'),
    trouble: z.string().nullable().describe("Why we can't store links right now."),
    refusal: z.string().nullable().describe("The tool's reply to one of the rejected links."),
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
  summary: "List the links for a tool's emails, by page, with its merge tags",
  description:
    "Doesn't call the tool. With a `link_field`, we store each customer's personal link in that field. This only uses API calls that deliveries don't need.",
  params: siteItemParams,
  status: 200,
  response: toolLinks,
});
